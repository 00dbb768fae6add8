"""`case.yaml` of our folder: the time it was taken, the kinds of which it holds all objects, those it may not see."""

from datetime import datetime
from pathlib import Path

import msgspec

from bot.adapters.files import yaml_text
from bot.adapters.files.text import read_bytes
from bot.adapters.files.times import parse_time
from bot.domain.errors import ConfigError


class Case(msgspec.Struct, frozen=True):
    """`complete` is None where the file does not say; the names are kinds as objects call themselves (`Pod`)."""

    now: datetime | None = None
    complete: frozenset[str] | None = None
    forbidden: frozenset[str] = frozenset()


class _Keys(msgspec.Struct):
    """What is read of the file; other keys (questions, notes) are for others."""

    now: str | None = None
    complete: list[str] | None = None
    forbidden: list[str] | None = None


def read_case(file: Path) -> Case:
    """Raises ConfigError naming the file and the key."""
    values = [value for _, value in yaml_text.documents(read_bytes(file), file)]
    try:
        keys = msgspec.convert(values[0] if values else {}, _Keys)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{file}: {error}") from error
    try:
        now = parse_time(keys.now) if keys.now else None
    except ConfigError as error:
        raise ConfigError(f"{file}: now: {error}") from error
    complete = None if keys.complete is None else frozenset(keys.complete)
    return Case(now, complete, frozenset(keys.forbidden or ()))
