"""ReplicaSets, kept because their owner is what people know: kubernetes/api:apps/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.record import Record
from bot.domain.workload import Workload


class WireWorkload(Wire):
    """Only the metadata is read: labels and owner."""

    metadata: Metadata


def workload(kind: str, wire: WireWorkload, shared: Shared) -> tuple[str, Record]:
    """A workload of that kind, as ReplicaSets and Jobs share it."""
    meta = wire.metadata
    namespace = shared.text[meta.place]
    return f"{namespace}/{meta.name}", Workload(
        name=meta.name,
        namespace=namespace,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        kind=kind,
        labels=shared.labels[bytes(meta.labels)],
        owner=shared.owner[bytes(meta.owner_references)],
    )


def record(wire: WireWorkload, shared: Shared) -> tuple[str, Record]:
    return workload("ReplicaSet", wire, shared)


KIND = Kind(
    name="replicasets",
    object_kind="ReplicaSet",
    versions=("apps/v1",),
    namespaced=True,
    wire=WireWorkload,
    record=record,
)
