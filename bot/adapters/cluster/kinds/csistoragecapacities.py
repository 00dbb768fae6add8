"""How much room drivers have left, by where it is: kubernetes/api:storage/v1/types.go (CSIStorageCapacity)."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.pod_spec import label_selector
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.adapters.cluster.wire_spec import WireSelector
from bot.domain.quantity import parse
from bot.domain.record import Record
from bot.domain.storage import CSIStorageCapacity


class WireCapacity(Wire):
    """The largest volume tells more than what is left in all."""

    metadata: Metadata
    storage_class_name: str = ""
    capacity: str | int | float | None = None
    maximum_volume_size: str | int | float | None = None
    node_topology: WireSelector | None = None


def record(wire: WireCapacity, shared: Shared) -> tuple[str, Record]:
    meta = wire.metadata
    namespace = shared.text[meta.place]
    largest = wire.capacity if wire.maximum_volume_size is None else wire.maximum_volume_size
    return f"{namespace}/{meta.name}", CSIStorageCapacity(
        name=meta.name,
        namespace=namespace,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        storage_class=shared.text[wire.storage_class_name],
        largest=None if largest is None else parse(str(largest)),
        topology=None if wire.node_topology is None else label_selector(wire.node_topology),
    )


KIND = Kind(
    name="csistoragecapacities",
    object_kind="CSIStorageCapacity",
    versions=("storage.k8s.io/v1",),
    namespaced=True,
    wire=WireCapacity,
    record=record,
)
