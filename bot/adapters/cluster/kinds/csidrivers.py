"""Volume drivers: kubernetes/api:storage/v1/types.go (CSIDriver)."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.record import Record
from bot.domain.storage import CSIDriver


class WireSpec(Wire):
    """What the driver wants of others."""

    storage_capacity: bool | None = None


class WireCsiDriver(Wire):
    """One driver."""

    metadata: Metadata
    spec: WireSpec | None = None


def record(wire: WireCsiDriver, shared: Shared) -> tuple[str, Record]:
    meta = wire.metadata
    return meta.name, CSIDriver(
        name=shared.text[meta.name],
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        capacity=bool(wire.spec and wire.spec.storage_capacity),
    )


KIND = Kind(
    name="csidrivers",
    object_kind="CSIDriver",
    versions=("storage.k8s.io/v1",),
    namespaced=False,
    wire=WireCsiDriver,
    record=record,
)
