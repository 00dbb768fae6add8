"""Many small clusters in one file, one JSON value a line: a List, or `objects` with a `seed` that names the cluster."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bot.adapters.files.errors import Place
from bot.adapters.files.load import view_of
from bot.adapters.files.objects import Item, unpack
from bot.domain.errors import ConfigError
from bot.domain.view import View


class _Line(msgspec.Struct):
    seed: int | str | None = None
    objects: list[msgspec.Raw] | None = None


_LINE = msgspec.json.Decoder(_Line)


def clusters(file: Path) -> Iterator[tuple[int | str | None, View]]:
    """The seed (None where the line has none) and a view of each line; `.gz` is unpacked. Raises ConfigError."""
    opened = gzip.open if file.suffix == ".gz" else open
    try:
        with opened(file, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _cluster(line, Place(file, number))
    except (OSError, EOFError) as error:
        raise ConfigError(f"{Place(file)} cannot be read: {error}") from error


def _cluster(line: bytes, place: Place) -> tuple[int | str | None, View]:
    try:
        head = _LINE.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ConfigError(f"{place}: not a cluster: {error}") from error
    raws = [line] if head.objects is None else [bytes(raw) for raw in head.objects]
    return head.seed, view_of(_items(raws, place), str(place))


def _items(raws: list[bytes], place: Place) -> Iterator[Item]:
    for raw in raws:
        yield from unpack(raw, place)
