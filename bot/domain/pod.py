"""A pod as the Kubernetes API shows it, and what it counts for."""

import msgspec

from bot.domain.node import Condition
from bot.domain.pod_spec import PLAIN, PodSpec, Volume
from bot.domain.record import NO_AMOUNTS, NONE, Amounts, Labels, Owner, Record

FINISHED = ("Succeeded", "Failed")


class Container(msgspec.Struct, frozen=True, gc=False):
    """One container of a pod, init and sidecar containers included. `restarts` for ever means a sidecar."""

    name: str
    image: str = ""
    requests: Amounts = NO_AMOUNTS
    init: bool = False
    sidecar: bool = False
    visible_devices: str = ""  # NVIDIA_VISIBLE_DEVICES, which shows it GPUs that it did not ask for


class ContainerState(msgspec.Struct, frozen=True, gc=False):
    """What the kubelet last said of a container."""

    name: str
    ready: bool = False
    restarts: int = 0
    waiting: str = ""  # reason
    terminated: str = ""  # reason
    exit_code: int | None = None


class Pod(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """What is kept of a pod. `requests` is what the scheduler counts for it (bot.scheduling.requests)."""

    namespace: str
    node: str = ""  # where it is bound; empty while it waits
    nominated: str = ""  # status.nominatedNodeName
    phase: str = "Pending"
    deleted: str = ""  # deletionTimestamp: a terminating pod still counts until it is gone
    labels: Labels = NONE
    owner: Owner | None = None
    priority: int = 0
    priority_class: str = ""
    scheduler: str = ""
    runtime_class: str = ""
    gated: bool = False  # has scheduling gates
    spec: PodSpec = PLAIN
    volumes: tuple[Volume, ...] = ()  # those that the scheduler has to think about
    requests: Amounts = NO_AMOUNTS
    containers: tuple[Container, ...] = ()
    states: tuple[ContainerState, ...] = ()
    conditions: tuple[Condition, ...] = ()  # those that are not True
    claims: tuple[str, ...] = ()  # names of its ResourceClaims
    made_claims: tuple[tuple[str, str], ...] = ()  # spec.claims' name → ResourceClaim; empty: none was needed
    started: str = ""  # status.startTime
    preempted: bool = False  # it is being evicted by the scheduler, for another pod
    reason: str = ""  # status.reason

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def finished(self) -> bool:
        """Succeeded and Failed pods hold nothing any more."""
        return self.phase in FINISHED

    def container(self, name: str) -> Container | None:
        return next((one for one in self.containers if one.name == name), None)

    def condition(self, kind: str) -> Condition | None:
        """The condition of that type, where it is not True."""
        return next((one for one in self.conditions if one.type == kind), None)

    @property
    def occupies(self) -> bool:
        """Whether the scheduler counts it against its node."""
        return bool(self.node) and self.phase not in FINISHED
