"""ReplicaSets, also because their owner is what people know: kubernetes/api:apps/v1/types.go.

Deployments leave their old ReplicaSets behind, ten each as a rule: of those that want and have no pods only the
metadata is kept.
"""

import msgspec

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.thing import WireThing, annotations, joined
from bot.domain.record import Record
from bot.domain.thing import EMPTY
from bot.domain.workload import Workload


class _Count(msgspec.Struct):
    replicas: int | None = None


_count = msgspec.json.Decoder(_Count | None)


def workload(kind: str, wire: WireThing, shared: Shared, raw: bytes) -> tuple[str, Record]:
    """A workload of that kind, as ReplicaSets and Jobs share it."""
    meta = wire.metadata
    namespace = shared.text[meta.place]
    return f"{namespace}/{meta.name}", Workload(
        name=meta.name,
        namespace=namespace,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        deleted=meta.deletion_timestamp or "",
        generation=meta.generation or 0,
        kind=kind,
        labels=shared.labels[bytes(meta.labels)],
        annotations=annotations(meta.annotations),
        owner=shared.owner[bytes(meta.owner_references)],
        raw=raw,
    )


def record(wire: WireThing, shared: Shared) -> tuple[str, Record]:
    return workload("ReplicaSet", wire, shared, EMPTY if _retired(wire) else joined(wire))


def _retired(wire: WireThing) -> bool:
    """Wants no pods, has none. What cannot be read as a count is kept whole."""
    try:
        wanted, there = _count.decode(bytes(wire.spec)), _count.decode(bytes(wire.status))
    except msgspec.DecodeError:
        return False
    return wanted is not None and wanted.replicas == 0 and not (there and there.replicas)


KIND = Kind(
    name="replicasets",
    object_kind="ReplicaSet",
    versions=("apps/v1",),
    namespaced=True,
    wire=WireThing,
    record=record,
)
