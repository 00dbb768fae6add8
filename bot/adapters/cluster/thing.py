"""Kinds that only explanations read: their JSON is kept as it came, without metadata (bot.domain.thing)."""

import msgspec

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import ABSENT, Metadata, Wire
from bot.domain.record import NONE, Labels, Record
from bot.domain.thing import EMPTY, Thing

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_annotations = msgspec.json.Decoder(dict[str, str] | None)


class ThingMetadata(Metadata):
    """ObjectMeta with what an explanation may want beside the usual."""

    annotations: msgspec.Raw = ABSENT
    generation: int | None = 0


class WireThing(Wire):
    """The parts that such objects have at their top. `apiVersion` is missing from the items of some lists."""

    metadata: ThingMetadata
    api_version: str = ""
    spec: msgspec.Raw = ABSENT
    status: msgspec.Raw = ABSENT
    data: msgspec.Raw = ABSENT
    handler: msgspec.Raw = ABSENT
    webhooks: msgspec.Raw = ABSENT
    endpoints: msgspec.Raw = ABSENT


def joined(wire: WireThing) -> bytes:
    """The parts that are there, as one JSON object."""
    parts = [
        b'"' + name.encode() + b'":' + bytes(value)
        for name in ("spec", "status", "data", "handler", "webhooks", "endpoints")
        if (value := getattr(wire, name)) is not ABSENT
    ]
    return b"{" + b",".join(parts) + b"}" if parts else EMPTY


def annotations(raw: msgspec.Raw) -> Labels:
    """Without kubectl's copy of the whole object."""
    if raw is ABSENT:
        return NONE
    found = _annotations.decode(bytes(raw)) or {}
    found.pop(_LAST_APPLIED, None)
    return found or NONE


def key_of(meta: Metadata, *, namespaced: bool) -> str:
    return f"{meta.place}/{meta.name}" if namespaced else meta.name


def thing_kind(
    name: str, object_kind: str, versions: tuple[str, ...], *, namespaced: bool = True, plural: str = ""
) -> Kind[WireThing]:
    """A kind of things. `plural` is its name in paths where another kind has taken that name for its table."""

    def record(wire: WireThing, shared: Shared) -> tuple[str, Record]:
        meta = wire.metadata
        return key_of(meta, namespaced=namespaced), Thing(
            name=meta.name,
            namespace=shared.text[meta.place] if namespaced else "",
            uid=meta.uid,
            version=meta.resource_version,
            created=meta.creation_timestamp or "",
            deleted=meta.deletion_timestamp or "",
            generation=meta.generation or 0,
            kind=object_kind,
            api_version=wire.api_version or versions[0],
            labels=shared.labels[bytes(meta.labels)],
            annotations=annotations(meta.annotations),
            owner=shared.owner[bytes(meta.owner_references)],
            raw=joined(wire),
        )

    return Kind(
        name=name,
        object_kind=object_kind,
        versions=versions,
        namespaced=namespaced,
        wire=WireThing,
        record=record,
        plural=plural,
    )
