"""Volumes: kubernetes/api:core/v1/types.go."""

import msgspec

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.kinds.persistentvolumeclaims import BETA_CLASS, ClaimMetadata
from bot.adapters.cluster.node_terms import node_terms
from bot.adapters.cluster.pod_volumes import WireVolume, disk
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import Wire
from bot.adapters.cluster.wire_spec import WireNodeSelector
from bot.domain.quantity import parse
from bot.domain.record import Record
from bot.domain.storage import FILESYSTEM, PersistentVolume


class WireCsiSource(Wire):
    """csi."""

    driver: str = ""
    volume_handle: str = ""


class WireAffinity(Wire):
    """nodeAffinity."""

    required: WireNodeSelector | None = None


class WireClaimRef(Wire):
    """Whose the volume is."""

    namespace: str | None = ""
    name: str | None = ""
    uid: str | None = ""


class WireSpec(WireVolume, kw_only=True):
    """The volume; in-tree sources are named as in a pod."""

    csi: WireCsiSource | None = None  # type: ignore[assignment]  # a volume's driver has more to say than a pod's
    capacity: dict[str, str | int | float] | None = None
    access_modes: list[str] | None = None
    volume_mode: str | None = None
    storage_class_name: str | None = ""
    volume_attributes_class_name: str | None = ""
    claim_ref: WireClaimRef | None = None
    node_affinity: WireAffinity | None = None


class WireStatus(Wire):
    """Whether it is taken."""

    phase: str = ""


class WirePersistentVolume(Wire):
    """One volume."""

    metadata: ClaimMetadata
    spec: WireSpec = msgspec.field(default_factory=WireSpec)
    status: WireStatus = msgspec.field(default_factory=WireStatus)


def record(wire: WirePersistentVolume, shared: Shared) -> tuple[str, Record]:
    meta, spec, text = wire.metadata, wire.spec, shared.text
    csi = spec.csi or WireCsiSource()
    owner = spec.claim_ref
    return meta.name, PersistentVolume(
        name=meta.name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        labels=shared.labels[bytes(meta.labels)],
        storage_class=text[(meta.annotations or {}).get(BETA_CLASS, spec.storage_class_name or "")],
        phase=text[wire.status.phase],
        deleted=meta.deletion_timestamp or "",
        size=parse(str((spec.capacity or {}).get("storage", 0))),
        access_modes=frozenset(spec.access_modes or ()),
        mode=text[spec.volume_mode or FILESYSTEM],
        attributes_class=text[spec.volume_attributes_class_name or ""],
        claim=None if owner is None else (owner.namespace or "", owner.name or "", owner.uid or ""),
        node_terms=node_terms(spec.node_affinity.required) if spec.node_affinity else None,
        driver=text[csi.driver],
        handle=csi.volume_handle,
        disk=disk(spec),
    )


KIND = Kind(
    name="persistentvolumes",
    object_kind="PersistentVolume",
    versions=("v1",),
    namespaced=False,
    wire=WirePersistentVolume,
    record=record,
)
