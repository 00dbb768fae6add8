"""The small language in which the shapes of blocks are written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["string", "integer", "number", "boolean", "object", "block", "list", "anything"]


@dataclass(frozen=True, slots=True)
class Field:
    """One property: its kind, its bounds (characters, items or value), and for objects the types it may have."""

    kind: Kind
    most: int | None = None
    least: int = 0
    required: bool = False
    of: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    item: Field | None = None
    text_most: int | None = None


def string(most: int | None = None, *, required: bool = False, least: int = 0) -> Field:
    return Field("string", most, least, required)


def word(*allowed: str, required: bool = False) -> Field:
    return Field("string", required=required, one_of=allowed)


def integer(least: int = 0, most: int | None = None, *, required: bool = False) -> Field:
    return Field("integer", most, least, required)


def flag() -> Field:
    return Field("boolean")


def plain(most: int, *, required: bool = False) -> Field:
    """A plain_text object of at least one character."""
    return Field("object", required=required, of=("plain_text",), text_most=most)


def text(most: int, *, required: bool = False) -> Field:
    """A plain_text or mrkdwn object of at least one character."""
    return Field("object", required=required, of=("plain_text", "mrkdwn"), text_most=most)


def one(*types: str, required: bool = False) -> Field:
    """An object of one of these types."""
    return Field("object", required=required, of=types)


def many(*types: str, most: int | None = None, least: int = 1, required: bool = True) -> Field:
    """A list of objects of these types."""
    return Field("list", most, least, required, item=Field("object", of=types))


def blocks(*types: str, most: int) -> Field:
    """A list of blocks within a block."""
    return Field("list", most, 1, required=True, item=Field("block", of=types))


def texts(most_items: int, most: int, types: tuple[str, ...] = ("plain_text", "mrkdwn")) -> Field:
    return Field("list", most_items, 1, item=Field("object", of=types, text_most=most))


def several(item: Field, *, most: int | None = None, least: int = 0, required: bool = False) -> Field:
    return Field("list", most, least, required, item=item)


Shape = dict[str, Field]
