"""Namespaces: kubernetes/api:core/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.record import Record
from bot.domain.workload import Namespace


class WireNamespace(Wire):
    """Only its metadata says something."""

    metadata: Metadata


def record(wire: WireNamespace, shared: Shared) -> tuple[str, Record]:
    meta = wire.metadata
    return meta.name, Namespace(
        name=shared.text[meta.name],
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        labels=shared.labels[bytes(meta.labels)],
    )


KIND = Kind(
    name="namespaces",
    object_kind="Namespace",
    versions=("v1",),
    namespaced=False,
    wire=WireNamespace,
    record=record,
)
