"""Volume drivers of each node: kubernetes/api:storage/v1/types.go (CSINode)."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.kinds.persistentvolumeclaims import ClaimMetadata
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Wire
from bot.domain.record import Record
from bot.domain.storage import CSINode

MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"


class WireAllocatable(Wire):
    """How many volumes."""

    count: int | None = None


class WireDriver(Wire):
    """One driver."""

    name: str
    allocatable: WireAllocatable | None = None


class WireSpec(Wire):
    """Drivers that registered."""

    drivers: list[WireDriver] | None = None


class WireCsiNode(Wire):
    """One node."""

    metadata: ClaimMetadata
    spec: WireSpec | None = None


def record(wire: WireCsiNode, shared: Shared) -> tuple[str, Record]:
    meta = wire.metadata
    drivers = (wire.spec.drivers if wire.spec else None) or ()
    return meta.name, CSINode(
        name=shared.text[meta.name],
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        drivers={shared.text[one.name]: one.allocatable.count if one.allocatable else None for one in drivers},
        migrated=frozenset(filter(None, (meta.annotations or {}).get(MIGRATED, "").split(","))),
    )


KIND = Kind(
    name="csinodes",
    object_kind="CSINode",
    versions=("storage.k8s.io/v1",),
    namespaced=False,
    wire=WireCsiNode,
    record=record,
)
