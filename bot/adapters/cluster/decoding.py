"""Pages of a list and lines of a watch as records. One object that is not what it should be costs that object only."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from bot.adapters.cluster.kind import AnyKind, ListMeta, Objectlike
from bot.adapters.cluster.shared import Shared
from bot.domain.record import Record

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
_LONGEST = 120  # characters of a reason that are shown


class BareMetadata(msgspec.Struct, rename="camel"):
    """As much of an object as even a bookmark has."""

    name: str = ""
    namespace: str | None = ""
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class BareObject(msgspec.Struct):
    """An object of any kind, or the Status of an ERROR event."""

    metadata: BareMetadata = msgspec.field(default_factory=BareMetadata)
    code: int = 0
    reason: str | None = ""
    message: str | None = ""


class BareEvent(msgspec.Struct):
    """A watch event whose object does not fit its kind: bookmarks and errors always, others when they are odd."""

    type: str
    object: BareObject = msgspec.field(default_factory=BareObject)


class DecodedPage(NamedTuple):
    """`items` are wire structs; `odd` maps the keys of objects that are none to why."""

    items: list[Any]
    version: str
    more: str
    odd: dict[str, str]


class _RawPage(msgspec.Struct):
    metadata: ListMeta = msgspec.field(default_factory=ListMeta)
    items: list[msgspec.Raw] | None = None


_raw_page = msgspec.json.Decoder(_RawPage)
_bare_object = msgspec.json.Decoder(BareObject)
bare_event = msgspec.json.Decoder(BareEvent)


def decode_page(kind: AnyKind, body: bytes) -> DecodedPage:
    """Raises msgspec.DecodeError where the body is no list at all."""
    try:
        page = kind.page_decoder.decode(body)
    except msgspec.ValidationError:
        raw = _raw_page.decode(body)
        odd: dict[str, str] = {}
        items = list(_valid(kind, raw.items or [], odd))
        return DecodedPage(items, raw.metadata.resource_version, raw.metadata.more, odd)
    return DecodedPage(page.items or [], page.metadata.resource_version, page.metadata.more, {})


def records(
    kind: AnyKind, items: Iterable[Any], shared: Shared, known: Mapping[str, Record], odd: dict[str, str]
) -> Iterator[tuple[str, Record]]:
    """Keys and records of wire structs; what cannot be converted is noted in `odd`.

    `known` are records that are kept as they are where the object's version is still theirs.
    """
    for wire in items:
        old = known.get(_key(wire)) if known else None
        if old is not None and old.version == wire.metadata.resource_version and old.uid == wire.metadata.uid:
            yield _key(wire), old
            continue
        try:
            yield kind.record(wire, shared)
        except (ValueError, msgspec.ValidationError) as error:
            odd[_key(wire)] = str(error)


def summary(odd: Mapping[str, str]) -> str:
    """How many objects could not be read and why one of them, as a clause for people; empty where all could."""
    if not odd:
        return ""
    key, why = next(iter(odd.items()))
    return f"{len(odd)} could not be read, such as {key}: {why[:_LONGEST]}"


def _valid(kind: AnyKind, items: list[msgspec.Raw], odd: dict[str, str]) -> Iterator[object]:
    for raw in items:
        try:
            yield kind.decoder.decode(raw)
        except msgspec.ValidationError as error:
            odd[_name_of(raw)] = str(error)


def _name_of(raw: msgspec.Raw) -> str:
    try:
        return bare_key(_bare_object.decode(raw).metadata)
    except msgspec.ValidationError:
        return "an object without a name"


def bare_key(meta: BareMetadata) -> str:
    return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name


def _key(wire: Objectlike) -> str:
    meta = wire.metadata
    return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name
