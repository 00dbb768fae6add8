"""Nodes: kubernetes/api:core/v1/types.go. Of 64 MB that 5,000 of them weigh, some 5 % say something about GPUs."""

import msgspec

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.wire import ABSENT, Metadata, Wire, WireCondition
from bot.domain.node import Node, Taint
from bot.domain.record import NONE, Labels, Record

# Annotations that say whose cordon it is, or how a GPU is shared; the others are only weight.
ANNOTATIONS = (
    "quarantineHealthEvent",  # NVSentinel
    "k8saas.nvidia.com/",
    "nvidia.com/",
    "hami.io/",
    "volcano.sh/",
    "run.ai/",
    "cluster-autoscaler.kubernetes.io/",
    "karpenter.sh/",
    "weave.works/kured-",
    "machineconfiguration.openshift.io/",
)


class NodeMetadata(Metadata, kw_only=True):
    """`managed_fields` is looked into only where the node is cordoned."""

    annotations: dict[str, str] | None = None
    managed_fields: msgspec.Raw = ABSENT


class WireTaint(Wire):
    """One taint."""

    key: str
    value: str | None = ""
    effect: str = ""


class WireSpec(Wire):
    """What was decided for the node."""

    unschedulable: bool | None = None
    taints: list[WireTaint] | None = None


class WireNodeInfo(Wire):
    """What its kubelet is and runs on: texts that nearly all nodes of a pool share."""

    kubelet_version: str = ""
    kernel_version: str = ""
    container_runtime_version: str = ""
    os_image: str = ""


class WireStatus(Wire):
    """What its kubelet reports."""

    capacity: msgspec.Raw = ABSENT
    allocatable: msgspec.Raw = ABSENT
    conditions: list[WireCondition] | None = None
    node_info: WireNodeInfo | None = None
    declared_features: list[str] | None = None


class WireNode(Wire):
    """One node."""

    metadata: NodeMetadata
    spec: WireSpec | None = None
    status: WireStatus | None = None


class OwnedSpec(msgspec.Struct, rename={"unschedulable": "f:unschedulable"}):
    """The part of fieldsV1 that tells whether the manager owns the cordon."""

    unschedulable: dict[str, object] | None = None  # always an empty object where the manager owns the field


class OwnedFields(msgspec.Struct, rename={"spec": "f:spec"}):
    """fieldsV1."""

    spec: OwnedSpec | None = None


class FieldManager(msgspec.Struct, rename={"fields": "fieldsV1"}):
    """One entry of managedFields."""

    manager: str = ""
    time: str | None = ""
    fields: OwnedFields | None = None


NO_INFO = WireNodeInfo()
NO_FEATURES: frozenset[str] = frozenset()
_labels = msgspec.json.Decoder(dict[str, str] | None)
_managers = msgspec.json.Decoder(list[FieldManager] | None)


def record(wire: WireNode, shared: Shared) -> tuple[str, Record]:
    meta, spec, status = wire.metadata, wire.spec or WireSpec(), wire.status or WireStatus()
    info = status.node_info or NO_INFO
    name = shared.text[meta.name]
    return name, Node(
        name=name,
        uid=meta.uid,
        version=meta.resource_version,
        created=meta.creation_timestamp or "",
        labels=_repeated(_labels.decode(meta.labels), shared),
        annotations=_chosen(meta.annotations) if meta.annotations else NONE,
        unschedulable=bool(spec.unschedulable),
        taints=tuple(Taint(taint.key, taint.value or "", taint.effect) for taint in spec.taints or ()),
        capacity=shared.amounts[bytes(status.capacity)],
        allocatable=shared.amounts[bytes(status.allocatable)],
        conditions=tuple([shared.condition(condition) for condition in status.conditions or ()]),
        features=shared.features[tuple(status.declared_features)] if status.declared_features else NO_FEATURES,
        kubelet_version=shared.text[info.kubelet_version],
        kernel_version=shared.text[info.kernel_version],
        runtime_version=shared.text[info.container_runtime_version],
        os_image=shared.text[info.os_image],
        cordoned_by=_cordoned_by(meta.managed_fields) if spec.unschedulable else "",
        deleted=meta.deletion_timestamp or "",
    )


def _repeated(labels: dict[str, str] | None, shared: Shared) -> Labels:
    """Each node's labels are its own, but nearly all of their names and values stand on its neighbours too."""
    text = shared.text
    return {text[name]: text[value] for name, value in labels.items()} if labels else NONE


def _chosen(annotations: dict[str, str]) -> Labels:
    return {name: value for name, value in annotations.items() if name.startswith(ANNOTATIONS)} or NONE


def _cordoned_by(managed_fields: msgspec.Raw) -> str:
    """Who last wrote spec.unschedulable, as far as the API server's bookkeeping tells."""
    managers = _managers.decode(managed_fields) or ()
    owners = [one for one in managers if one.fields and one.fields.spec and one.fields.spec.unschedulable is not None]
    return max(owners, key=lambda one: one.time or "").manager if owners else ""


KIND = Kind(
    name="nodes",
    object_kind="Node",
    versions=("v1",),
    namespaced=False,
    wire=WireNode,
    record=record,
)
