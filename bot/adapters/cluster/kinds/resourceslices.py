"""Resource slices: kubernetes/api:resource/v1/types.go."""

from bot.adapters.cluster.device_parts import WireCounters, WireDevice, counters, device
from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.node_terms import node_terms
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.adapters.cluster.wire_spec import WireNodeSelector
from bot.domain.dra import ResourceSlice
from bot.domain.record import Record

VERSIONS = ("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1")


class WirePool(Wire):
    """Where the slice belongs."""

    name: str
    generation: int = 0
    resource_slice_count: int = 1


class WireSpec(Wire):
    """The slice's content."""

    driver: str
    pool: WirePool
    node_name: str | None = ""
    all_nodes: bool | None = None
    node_selector: WireNodeSelector | None = None
    per_device_node_selection: bool | None = None
    shared_counters: list[WireCounters] | None = None
    devices: list[WireDevice] | None = None


class WireSlice(Wire):
    """One slice."""

    metadata: Metadata
    spec: WireSpec


def record(wire: WireSlice, shared: Shared) -> tuple[str, Record]:
    meta, spec, text = wire.metadata, wire.spec, shared.text
    return meta.name, ResourceSlice(
        name=meta.name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        driver=text[spec.driver],
        pool=text[spec.pool.name],
        generation=spec.pool.generation,
        slices=spec.pool.resource_slice_count,
        node=text[spec.node_name or ""],
        all_nodes=bool(spec.all_nodes),
        node_terms=node_terms(spec.node_selector),
        per_device=bool(spec.per_device_node_selection),
        counters=counters(spec.shared_counters),
        devices=tuple(device(one, shared) for one in spec.devices or ()),
    )


KIND = Kind(
    name="resourceslices",
    object_kind="ResourceSlice",
    versions=VERSIONS,
    namespaced=False,
    wire=WireSlice,
    record=record,
)
