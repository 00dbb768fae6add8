"""The account of one kind of GPU on one node.

    total = used + preemptible + burn_in + free + reserved + cordoned + not_ready + stranded + lost - over

`total` is what should be there: capacity, or the node's own label where that says more. What is left after all live
pods goes to exactly one of free, reserved, cordoned, not_ready or stranded, by the state of the node. `over` is what
pods still hold of GPUs that are lost: the scheduler counts both, so free would be negative there.
"""

import enum

import msgspec

from bot.gpu.kind import Kind


class State(enum.StrEnum):
    """Whether new pods may come to the node."""

    OPEN = "open"
    RESERVED = "reserved"  # a taint that ordinary GPU pods do not tolerate
    CORDONED = "cordoned"
    NOT_READY = "not ready"


class Row(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Whole numbers of GPUs, slices or shares."""

    kind: Kind
    resource: str  # extended resource, or the DRA driver
    total: int
    capacity: int
    allocatable: int
    used: int = 0
    preemptible: int = 0
    burn_in: int = 0
    terminating: int = 0  # of those held, by pods that are on their way out
    free: int = 0
    reserved: int = 0
    cordoned: int = 0
    not_ready: int = 0
    stranded: int = 0  # free, but the node takes no more pods
    lost: int = 0
    over: int = 0

    @property
    def requested(self) -> int:
        return self.used + self.preemptible + self.burn_in


class Holding(msgspec.Struct, frozen=True, gc=False):
    """How many of one kind a pod holds, and who the pod belongs to."""

    kind: Kind
    amount: int
    namespace: str
    owner_kind: str
    owner: str
    team: str
    pod: str


class GpuNode(msgspec.Struct, frozen=True, eq=False, gc=False, kw_only=True):
    """A node with GPUs, judged by what the Kubernetes API shows."""

    name: str
    pool: str
    state: State
    why: str = ""  # the taint, whose cordon, the reason for not being ready
    rows: tuple[Row, ...] = ()
    holdings: tuple[Holding, ...] = ()
    notes: tuple[str, ...] = ()  # facts about this node that people should know, each a clause
    silent: bool = False  # carries a GPU label, offers no GPU resource
    created: str = ""


class Held(msgspec.Struct, gc=False):
    """What live pods hold of one resource on one node, while it is counted."""

    used: int = 0
    preemptible: int = 0
    burn_in: int = 0
    terminating: int = 0


def balance(
    *, kind: Kind, resource: str, expected: int, capacity: int, allocatable: int, held: Held, state: State, slots: bool
) -> Row:
    """Put every GPU of a node into exactly one column. `slots`: the node takes one more pod."""
    total = max(expected, capacity, allocatable)
    left = allocatable - held.used - held.preemptible - held.burn_in
    spare = max(0, left)
    opened = state is State.OPEN
    return Row(
        kind=kind,
        resource=resource,
        total=total,
        capacity=capacity,
        allocatable=allocatable,
        used=held.used,
        preemptible=held.preemptible,
        burn_in=held.burn_in,
        terminating=held.terminating,
        free=spare if opened and slots else 0,
        stranded=spare if opened and not slots else 0,
        reserved=spare if state is State.RESERVED else 0,
        cordoned=spare if state is State.CORDONED else 0,
        not_ready=spare if state is State.NOT_READY else 0,
        lost=total - allocatable,
        over=max(0, -left),
    )
