"""Print the Slack app's manifest: paste it at https://api.slack.com/apps (Create New App, From a manifest).

gpubot manifest                    with the slash command of the settings
gpubot manifest --docs FILE        write the page about all commands instead, made from their docstrings
"""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.cli.verb import Verb
from bot.command import Command
from bot.dialogue import all_commands
from bot.domain.errors import ConfigError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", default=os.environ.get("GPUBOT_CONFIG"), help="settings (YAML)")
    parser.add_argument("--docs", metavar="FILE", help="write the page about the commands to this file")


def run(chosen: argparse.Namespace) -> int:
    from config.settings import load
    from config.slack.manifest import manifest

    commands = all_commands()
    if chosen.docs:
        try:
            Path(chosen.docs).write_text(page(commands), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{chosen.docs} cannot be written: {error.strerror}") from error
        return 0
    slashes = load(chosen.config).slack.slashes()
    print(json.dumps(manifest(declared(slashes, commands)), indent=2))
    return 0


def declared(slashes: Mapping[str, str], commands: Sequence[Command]) -> list[tuple[str, str, str]]:
    """Each slash command with its description and what may follow it."""
    by_words = {f"gpu {command.name}": command for command in commands}
    every = " | ".join(command.name for command in commands)
    return [
        (slash, by_words[words].summary, by_words[words].takes_words)
        if words in by_words
        else (slash, "GPUs of the cluster", every)
        for slash, words in slashes.items()
    ]


def page(commands: tuple[Command, ...]) -> str:
    """Markdown: one section a command, each its module's docstring."""
    parts = ["# Commands", "Made by `make docs` from the docstrings in `commands/`.", ""]
    for command in commands:
        parts += [f"## `/gpu {command.name}`", "", command.page.strip(), "", f"Usage: `{command.usage}`", ""]
        for option in command.options:
            parts.append(f"- `{option.example}`: {option.explains}")
        parts += ["", *(f"    {example}" for example in command.examples), ""]
    return "\n".join(parts).rstrip() + "\n"


VERB = Verb("manifest", "print the Slack app's manifest", arguments, run)
