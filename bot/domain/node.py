"""A node as the Kubernetes API shows it."""

import msgspec

from bot.domain.record import NO_AMOUNTS, NONE, Amounts, Labels, Record

READY = "Ready"
LIFECYCLE_TAINTS = frozenset(
    f"node.kubernetes.io/{condition}"
    for condition in (
        "not-ready",
        "unreachable",
        "unschedulable",
        "memory-pressure",
        "disk-pressure",
        "pid-pressure",
        "network-unavailable",
        "out-of-service",
    )
)


class Taint(msgspec.Struct, frozen=True, gc=False):
    """One taint of a node."""

    key: str
    value: str = ""
    effect: str = ""

    @property
    def blocks(self) -> bool:
        """PreferNoSchedule only sways the scheduler's choice; the other two keep pods away."""
        return self.effect in ("NoSchedule", "NoExecute")

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Condition(msgspec.Struct, frozen=True, gc=False):
    """One entry of status.conditions."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: str = ""  # lastTransitionTime


class Node(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """What is kept of a node. `capacity` and `allocatable` are whole numbers (see bot.domain.quantity)."""

    labels: Labels = NONE
    annotations: Labels = NONE  # only those that say whose cordon it is, or name sharing
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    capacity: Amounts = NO_AMOUNTS
    allocatable: Amounts = NO_AMOUNTS
    conditions: tuple[Condition, ...] = ()
    features: frozenset[str] = frozenset()  # status.declaredFeatures, releases 1.35 and newer
    kubelet_version: str = ""
    kernel_version: str = ""
    runtime_version: str = ""  # status.nodeInfo.containerRuntimeVersion: containerd://2.1.5
    os_image: str = ""
    cordoned_by: str = ""  # field manager of spec.unschedulable, if managedFields tells
    deleted: str = ""  # deletionTimestamp

    def condition(self, kind: str) -> Condition | None:
        """The condition of that type, if the node reports it."""
        return next((condition for condition in self.conditions if condition.type == kind), None)

    @property
    def ready(self) -> bool | None:
        """True, False, or None where the node says Unknown or nothing: then nobody has heard of it lately."""
        condition = self.condition(READY)
        return {"True": True, "False": False}.get(condition.status) if condition else None
