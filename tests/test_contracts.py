"""Every registry is complete, unique, documented; the rules of the house hold."""

import importlib
import json
import sys
from pathlib import Path

import pytest

import bot.cli
from bot.cli.manifest import declared as slash_commands
from bot.cli.verb import Verb
from bot.command import Command
from bot.demo.people import setup
from bot.dialogue import all_commands, understand
from bot.registry import collect
from config.settings import SlackSettings
from config.slack.manifest import manifest
from tests import hygiene

COMMANDS = all_commands()
ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_is_complete(command: Command) -> None:
    module = command.run.__module__
    assert module == f"commands.{'_'.join(command.words)}", "file name and command agree"
    assert command.page == sys.modules[module].__doc__, "the docstring is the page"
    assert command.summary
    assert not command.summary.endswith(".")
    assert command.examples[0].startswith(f"/gpu {command.name}")
    for example in (*command.examples, *(f"/gpu {command.name} {option.example}" for option in command.options)):
        assert understand(example, COMMANDS).command is command, "an example is something that one can type"


def test_commands_have_names_of_their_own() -> None:
    assert len({command.words for command in COMMANDS}) == len(COMMANDS)
    for command in COMMANDS:
        named = [name for option in command.options for name in (option.name, *option.also)]
        assert len(set(named)) == len(named)


def test_a_file_without_the_right_constant_stops_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "things").mkdir()
    (tmp_path / "things" / "__init__.py").write_text("")
    (tmp_path / "things" / "one.py").write_text("THING = 1")
    (tmp_path / "things" / "two.py").write_text("THING = 'two'")
    (tmp_path / "things" / "none.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TypeError, match=r"two\.THING is no int"):
        collect(importlib.import_module("things"), "THING", int)


def test_verbs_are_named_as_their_files() -> None:
    for verb in collect(bot.cli, "VERB", Verb):
        assert verb.run.__module__ == f"bot.cli.{verb.name}"
        assert sys.modules[verb.run.__module__].__doc__


def test_the_manifest_declares_what_the_bot_listens_to() -> None:
    slashes = SlackSettings().slashes()
    declared = manifest(slash_commands(slashes, COMMANDS))
    assert [command["command"] for command in declared["features"]["slash_commands"]] == list(slashes)
    listeners = (ROOT / "bot" / "slack" / "listeners.py").read_text()
    for event in declared["settings"]["event_subscriptions"]["bot_events"]:
        assert f'@app.event("{event.split(".")[0]}")' in listeners
    assert {"commands", "chat:write", "app_mentions:read"} <= set(declared["oauth_config"]["scopes"]["bot"])
    assert len(json.dumps(declared)) < 10_000
    for command in declared["features"]["slash_commands"]:
        assert len(command["command"]) <= 32
        assert len(command["usage_hint"]) <= 1_000
        assert len(command["description"]) <= 2_000


def test_the_demo_offers_every_example() -> None:
    slash, why, *_ = setup(COMMANDS, SlackSettings().slashes()).commands
    assert {f"/gpu {completion}" for completion in slash.completions} == {
        example for command in COMMANDS for example in command.examples
    }
    assert set(why.completions) == {completion[4:] for completion in slash.completions if completion.startswith("why ")}


def test_the_page_about_commands_is_made_from_their_docstrings() -> None:
    from bot.cli.manifest import page

    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == page(COMMANDS), "`make docs` writes it anew"


def test_no_file_names_a_registry_host_and_locks_carry_hashes() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: there is no list of files")
    assert hygiene.problems() == []
