"""Storage classes: kubernetes/api:storage/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire
from bot.domain.record import Record
from bot.domain.storage import IMMEDIATE, StorageClass


class WireLabel(Wire):
    """One label and the values it may have."""

    key: str = ""
    values: list[str] | None = None


class WireTerm(Wire):
    """Labels that a node must have, all of them."""

    match_label_expressions: list[WireLabel] | None = None


class WireStorageClass(Wire):
    """The parts that decide where a volume can be made."""

    metadata: Metadata
    provisioner: str = ""
    volume_binding_mode: str | None = None
    allowed_topologies: list[WireTerm] | None = None


def record(wire: WireStorageClass, shared: Shared) -> tuple[str, Record]:
    meta = wire.metadata
    return meta.name, StorageClass(
        name=meta.name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        provisioner=shared.text[wire.provisioner],
        binding_mode=shared.text[wire.volume_binding_mode or IMMEDIATE],
        topologies=tuple(
            tuple((one.key, tuple(one.values or ())) for one in term.match_label_expressions or ())
            for term in wire.allowed_topologies or ()
        ),
    )


KIND = Kind(
    name="storageclasses",
    object_kind="StorageClass",
    versions=("storage.k8s.io/v1",),
    namespaced=False,
    wire=WireStorageClass,
    record=record,
)
