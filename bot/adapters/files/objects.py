"""The objects of a file one by one, lists of any kind unpacked, as JSON text with their kind beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from bot.adapters.files import json_text, yaml_text
from bot.adapters.files.errors import Place
from bot.domain.errors import ConfigError

_DEEPEST_LIST = 3  # a List of PodLists is odd; deeper is a trick


class Item(msgspec.Struct, frozen=True):
    """One object. `group` is empty for the core API; `raw` is its JSON text."""

    group: str
    kind: str
    raw: bytes
    place: Place


class _Head(msgspec.Struct, rename="camel"):
    kind: str | None = None
    api_version: str | None = None
    items: msgspec.Raw = msgspec.Raw(b"")  # empty: the key is not there


_HEAD = msgspec.json.Decoder(_Head)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw] | None)


def objects(data: bytes, file: Path) -> Iterator[Item]:
    """All objects of a file's text. Raises ConfigError for broken text and for a document that is no object."""
    for line, raw in _documents(data, file):
        yield from unpack(raw, Place(file, line))


def unpack(raw: bytes, place: Place) -> Iterator[Item]:
    """The objects in one JSON value: itself, or what is in its lists. Raises ConfigError."""
    return _unpack(raw, place, kind="", api_version="", depth=0)


def _documents(data: bytes, file: Path) -> Iterator[tuple[int, bytes]]:
    looks_like_json = data.lstrip()[:1] in (b"{", b"[")
    if file.suffix == ".json" or (looks_like_json and file.suffix not in (".yaml", ".yml")):
        yield from json_text.documents(data, file)
        return
    for line, value in yaml_text.documents(data, file):
        yield line, _as_json(value, Place(file, line))


def _as_json(value: Any, place: Place) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (TypeError, OverflowError, RecursionError, ValueError) as error:
        raise ConfigError(f"{place}: this document cannot be a Kubernetes object: {error}") from error


def _unpack(raw: bytes, place: Place, *, kind: str, api_version: str, depth: int) -> Iterator[Item]:
    """`kind` and `api_version` are those that a typed list gives to items without their own."""
    if raw.lstrip()[:1] == b"[":
        for item in _items(raw, place, depth):
            yield from _unpack(item, place, kind="", api_version="", depth=depth + 1)
        return
    head = _head(raw, place)
    kind, api_version = head.kind or kind, head.api_version or api_version
    if not kind:
        raise ConfigError(f"{place}: an object without `kind`")
    if kind.endswith("List") and bytes(head.items):
        of_items = kind.removesuffix("List")
        for item in _items(bytes(head.items), place, depth):
            yield from _unpack(item, place, kind=of_items, api_version=api_version, depth=depth + 1)
        return
    yield Item(api_version.rpartition("/")[0], kind, raw, place)


def _head(raw: bytes, place: Place) -> _Head:
    try:
        return _HEAD.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ConfigError(f"{place}: not a Kubernetes object: {error}") from error


def _items(raw: bytes, place: Place, depth: int) -> list[bytes]:
    if depth >= _DEEPEST_LIST:
        raise ConfigError(f"{place}: lists inside lists inside lists")
    try:
        return [bytes(item) for item in _ITEMS.decode(raw) or ()]
    except (msgspec.DecodeError, RecursionError) as error:
        raise ConfigError(f"{place}: its `items` are no list of objects: {error}") from error
