"""Resource claims and what they were given: kubernetes/api:resource/v1/types.go."""

from fractions import Fraction

import msgspec

from bot.adapters.cluster.device_requests import WireConstraint, WireRequest, constraint, request
from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.kinds.resourceslices import VERSIONS
from bot.adapters.cluster.node_terms import node_terms
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.adapters.cluster.wire_spec import WireNodeSelector
from bot.domain.dra import Allocated, ResourceClaim
from bot.domain.quantity import parse
from bot.domain.record import Record

EXTENDED = "resource.kubernetes.io/extended-resource-claim"


class ClaimMetadata(Metadata, kw_only=True):
    """Metadata with what the scheduler notes down."""

    annotations: dict[str, str] | None = None


class WireResult(Wire):
    """One allocated device. Admin access looks at a device without holding it; a share leaves it open to others."""

    driver: str
    pool: str
    device: str
    admin_access: bool | None = None
    share_id: str | None = msgspec.field(name="shareID", default="")
    consumed_capacity: dict[str, str | int | float] | None = None


class WireDevices(Wire):
    """allocation.devices."""

    results: list[WireResult] | None = None


class WireAllocation(Wire):
    """status.allocation."""

    devices: WireDevices | None = None
    node_selector: WireNodeSelector | None = None


class WireConsumer(Wire):
    """Who may use the claim. `resource` is a plural, pods in practice."""

    resource: str = ""
    name: str = ""
    uid: str = ""


class WireStatus(Wire):
    """What the scheduler wrote."""

    allocation: WireAllocation | None = None
    reserved_for: list[WireConsumer] | None = None


class WireWanted(Wire):
    """spec.devices."""

    requests: list[WireRequest] | None = None
    constraints: list[WireConstraint] | None = None


class WireSpec(Wire):
    """What is wanted."""

    devices: WireWanted = msgspec.field(default_factory=WireWanted)


class WireClaim(Wire):
    """One claim."""

    metadata: ClaimMetadata
    spec: WireSpec = msgspec.field(default_factory=WireSpec)
    status: WireStatus | None = None


def record(wire: WireClaim, shared: Shared) -> tuple[str, Record]:
    meta, wanted, status = wire.metadata, wire.spec.devices, wire.status or WireStatus()
    namespace = shared.text[meta.place]
    allocation = status.allocation
    results = _results(allocation)
    return f"{namespace}/{meta.name}", ResourceClaim(
        name=meta.name,
        namespace=namespace,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        owner=shared.owner[bytes(meta.owner_references)],
        allocated=tuple(_device(one, shared) for one in results),
        reserved_for=tuple(one.name for one in status.reserved_for or () if one.resource == "pods"),
        deleted=meta.deletion_timestamp or "",
        requests=tuple(request(one, shared) for one in wanted.requests or ()),
        constraints=tuple(constraint(one) for one in wanted.constraints or ()),
        is_allocated=allocation is not None,
        node_terms=node_terms(allocation.node_selector) if allocation else None,
        portions=tuple((_device(one, shared), _consumed(one)) for one in results if one.share_id),
        reserved_uids=tuple(one.uid for one in status.reserved_for or ()),
        extended=(meta.annotations or {}).get(EXTENDED) == "true",
    )


def _results(allocation: WireAllocation | None) -> list[WireResult]:
    results = allocation.devices.results if allocation and allocation.devices else None
    return [one for one in results or () if not one.admin_access]


def _device(wire: WireResult, shared: Shared) -> Allocated:
    text = shared.text
    return Allocated(text[wire.driver], text[wire.pool], text[wire.device])


def _consumed(wire: WireResult) -> tuple[tuple[str, Fraction], ...]:
    return tuple((name, parse(str(value))) for name, value in sorted((wire.consumed_capacity or {}).items()))


KIND = Kind(
    name="resourceclaims",
    object_kind="ResourceClaim",
    versions=VERSIONS,
    namespaced=True,
    wire=WireClaim,
    record=record,
)
