"""The kinds that are read, one file each. A new file that ends in `KIND = Kind(...)` is found; no list to edit."""

import sys
from functools import cache

import msgspec

from bot import registry
from bot.adapters.cluster.kind import AnyKind, Kind
from bot.adapters.cluster.shared import Shared
from bot.domain.record import Record


class ObjectError(ValueError):
    """One object does not have the shape of its kind. Costs that object only."""


@cache
def collect() -> dict[str, AnyKind]:
    """All kinds by their plural, in alphabetical order."""
    return {kind.name: kind for kind in registry.collect(sys.modules[__name__], "KIND", Kind)}


def of_object(object_kind: str) -> AnyKind | None:
    """The kind of objects that call themselves `Pod` or `PodList`; None for one that is not read."""
    wanted = object_kind.removesuffix("List")
    return next((kind for kind in collect().values() if kind.object_kind == wanted), None)


def decode(kind: AnyKind, data: bytes, shared: Shared | None = None) -> tuple[str, Record]:
    """The key and record of one object from its JSON. Raises ObjectError.

    Pass one `shared` for all objects of a view, so that what they have in common is kept once.
    """
    try:
        key, record = kind.record(kind.decoder.decode(data), shared or Shared())
    except (msgspec.DecodeError, ValueError) as error:
        raise ObjectError(f"not a {kind.object_kind}: {error}") from error
    return key, record
