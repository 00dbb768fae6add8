"""Which volume is attached where: kubernetes/api:storage/v1/types.go (VolumeAttachment)."""

import msgspec

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.record import Record
from bot.domain.storage import VolumeAttachment


class WireSource(Wire):
    """What is attached; an inline volume has no name."""

    persistent_volume_name: str | None = ""


class WireSpec(Wire):
    """What is to be so."""

    attacher: str = ""
    node_name: str = ""
    source: WireSource = msgspec.field(default_factory=WireSource)


class WireAttachment(Wire):
    """One attachment."""

    metadata: Metadata
    spec: WireSpec = msgspec.field(default_factory=WireSpec)


def record(wire: WireAttachment, shared: Shared) -> tuple[str, Record]:
    meta, spec, text = wire.metadata, wire.spec, shared.text
    return meta.name, VolumeAttachment(
        name=meta.name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        attacher=text[spec.attacher],
        node=text[spec.node_name],
        volume=spec.source.persistent_volume_name or "",
    )


KIND = Kind(
    name="volumeattachments",
    object_kind="VolumeAttachment",
    versions=("storage.k8s.io/v1",),
    namespaced=False,
    wire=WireAttachment,
    record=record,
)
