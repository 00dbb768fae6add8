"""Claims on volumes: kubernetes/api:core/v1/types.go."""

import msgspec

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.pod_spec import label_selector
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Metadata, Wire, WireResources
from bot.adapters.cluster.wire_spec import WireSelector
from bot.domain.quantity import parse
from bot.domain.record import Record
from bot.domain.storage import FILESYSTEM, PersistentVolumeClaim

BETA_CLASS = "volume.beta.kubernetes.io/storage-class"  # still wins over the field
COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"


class ClaimMetadata(Metadata, kw_only=True):
    """Metadata with what the volume controllers note down."""

    annotations: dict[str, str] | None = None


class WireSpec(Wire):
    """What is wanted."""

    storage_class_name: str | None = ""
    volume_name: str | None = ""
    access_modes: list[str] | None = None
    volume_mode: str | None = None
    resources: WireResources | None = None
    selector: WireSelector | None = None
    volume_attributes_class_name: str | None = ""


class WireStatus(Wire):
    """What became of it."""

    phase: str = ""


class WireClaim(Wire):
    """One claim."""

    metadata: ClaimMetadata
    spec: WireSpec = msgspec.field(default_factory=WireSpec)
    status: WireStatus = msgspec.field(default_factory=WireStatus)


def record(wire: WireClaim, shared: Shared) -> tuple[str, Record]:
    meta, spec, text = wire.metadata, wire.spec, shared.text
    notes = meta.annotations or {}
    asked = spec.resources.requests if spec.resources else None
    namespace = text[meta.place]
    return f"{namespace}/{meta.name}", PersistentVolumeClaim(
        name=meta.name,
        namespace=namespace,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        owner=shared.owner[bytes(meta.owner_references)],
        storage_class=text[notes.get(BETA_CLASS, spec.storage_class_name or "")],
        volume=spec.volume_name or "",
        completed=COMPLETED in notes,
        selected_node=notes.get(SELECTED_NODE),
        phase=text[wire.status.phase],
        deleted=meta.deletion_timestamp or "",
        access_modes=frozenset(spec.access_modes or ()),
        size=parse(str(asked["storage"])) if asked and "storage" in asked else None,
        mode=text[spec.volume_mode or FILESYSTEM],
        selector=None if spec.selector is None else label_selector(spec.selector),
        attributes_class=text[spec.volume_attributes_class_name or ""],
    )


KIND = Kind(
    name="persistentvolumeclaims",
    object_kind="PersistentVolumeClaim",
    versions=("v1",),
    namespaced=True,
    wire=WireClaim,
    record=record,
)
