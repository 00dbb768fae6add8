"""YAML with the line of every key, so that a wrong setting can be named by its place."""

from pathlib import Path
from typing import Any

import yaml

from bot.domain.errors import ConfigError

Place = tuple[str | int, ...]


def load_with_lines(file: Path) -> tuple[Any, dict[Place, int]]:
    """The file's data, and place → line (counted from 1). Raises ConfigError."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not a text file in UTF-8") from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{file}{_place(error)}: this is not valid YAML: {_problem(error)}") from error
    lines: dict[Place, int] = {}
    if node is not None:
        _walk(node, (), lines)
    return ({} if data is None else data), lines


def _walk(node: yaml.Node, place: Place, lines: dict[Place, int]) -> None:
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            lines[(*place, key.value)] = key.start_mark.line + 1
            _walk(value, (*place, key.value), lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _walk(value, (*place, index), lines)


def _place(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f", line {mark.line + 1}" if mark else ""


def _problem(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or "it cannot be parsed")
