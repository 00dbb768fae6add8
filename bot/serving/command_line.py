"""Finds the engine's own words in a container's command: behind shells, variables, `exec`, `env` and `&&`."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from bot.domain.pattern import Pattern

_LONGEST = 64 * 1024
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
_BREAKS = frozenset({";", "&", "&&", "|", "||", "(", ")", ";;", "\n"})
_KUBERNETES = Pattern(r"\$\(([A-Za-z_][\w.-]{0,200})\)")
_SHELL = Pattern(r"\$\{([A-Za-z_]\w{0,200})(?::?-([^{}$]{0,200}))?\}|\$([A-Za-z_]\w{0,200})")
_ASSIGNMENT = Pattern(r"([A-Za-z_]\w{0,200})=(.*)", re.DOTALL)
_ENGINES = (
    Pattern(r"(?:^|/)vllm$|^vllm\.|(?:^|/)vllm/entrypoints/"),
    Pattern(r"^sglang(?:\.|$)|(?:^|/)sglang$|(?:^|/)sglang/launch_server"),
    Pattern(r"(?:^|/)text-generation-(?:launcher|server)$"),
)


def words(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The words of the part that starts an engine, variables filled in; all words where no part names one.

    A variable that is not known stays as it is written.
    """
    given = [_expand(word, _KUBERNETES, environment) for word in command][:4096]
    script = _script(given)
    if script is None:
        return given
    known = dict(environment)
    parts = [_expanded(part, known) for part in _parts(script)]
    return next((part for part in parts if names_engine(part)), [word for part in parts for word in part])


def names_engine(part: Iterable[str]) -> bool:
    """Whether one of the words is an engine's program or module."""
    return any(pattern.search(word) for word in part for pattern in _ENGINES)


def _script(command: Sequence[str]) -> str | None:
    """The script of `sh -c SCRIPT`; None where the command is no shell's."""
    if not command:
        return None
    if len(command) == 1 and len(command[0].split()) > 1:
        return command[0][:_LONGEST]
    if command[0].rpartition("/")[2] not in _SHELLS:
        return None
    for position, word in enumerate(command[1:], start=1):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return " ".join(command[position + 1 : position + 2])[:_LONGEST]
    return None


def _parts(script: str) -> list[list[str]]:
    """The simple commands of a script, each in words; a quote that is not closed is taken as a plain character."""
    lines = script.replace("\\\r\n", " ").replace("\\\n", " ").replace("\n", " ; ")
    try:
        reader = shlex.shlex(lines, posix=True, punctuation_chars=";&|")
        reader.whitespace_split = True
        reader.commenters = ""
        found = list(reader)
    except ValueError:
        found = lines.split()
    parts: list[list[str]] = [[]]
    for word in found:
        if word in _BREAKS:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _expanded(part: Sequence[str], known: dict[str, str]) -> list[str]:
    """A simple command with its variables filled in; `NAME=value` and `export NAME=value` hold from there on."""
    for word in part:
        found = _ASSIGNMENT.fullmatch(word)
        if found:
            known[found[1]] = _expand(found[2], _SHELL, known)
        elif word not in ("export", "exec", "env"):
            break
    return [_expand(word, _SHELL, known) for word in part]


def _expand(word: str, pattern: Pattern, environment: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        name, *rest = (group for group in found.groups() if group is not None)
        return environment.get(name) or (rest[0] if rest else found[0])

    return pattern.sub(value, word[:_LONGEST]) if "$" in word else word
