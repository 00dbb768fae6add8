"""Resource claims and what they were given: kubernetes/api:resource/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.kinds.resourceslices import VERSIONS
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.dra import Allocated, ResourceClaim
from bot.domain.record import Record


class WireResult(Wire):
    """One allocated device. Admin access looks at a device without holding it."""

    driver: str
    pool: str
    device: str
    admin_access: bool | None = None


class WireDevices(Wire):
    """allocation.devices."""

    results: list[WireResult] | None = None


class WireAllocation(Wire):
    """status.allocation."""

    devices: WireDevices | None = None


class WireConsumer(Wire):
    """Who may use the claim. `resource` is a plural, pods in practice."""

    resource: str = ""
    name: str = ""


class WireStatus(Wire):
    """What the scheduler wrote."""

    allocation: WireAllocation | None = None
    reserved_for: list[WireConsumer] | None = None


class WireClaim(Wire):
    """One claim."""

    metadata: Metadata
    status: WireStatus | None = None


def record(wire: WireClaim, shared: Shared) -> tuple[str, Record]:
    meta, status = wire.metadata, wire.status or WireStatus()
    namespace = shared.text[meta.place]
    return f"{namespace}/{meta.name}", ResourceClaim(
        name=meta.name,
        namespace=namespace,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        owner=shared.owner[bytes(meta.owner_references)],
        allocated=_allocated(status.allocation, shared),
        reserved_for=tuple(one.name for one in status.reserved_for or () if one.resource == "pods"),
        deleted=meta.deletion_timestamp or "",
    )


def _allocated(wire: WireAllocation | None, shared: Shared) -> tuple[Allocated, ...]:
    text = shared.text
    results = wire.devices.results if wire and wire.devices else None
    return tuple(
        Allocated(text[result.driver], text[result.pool], text[result.device])
        for result in results or ()
        if not result.admin_access
    )


KIND = Kind(
    name="resourceclaims",
    object_kind="ResourceClaim",
    versions=VERSIONS,
    namespaced=True,
    wire=WireClaim,
    record=record,
)
