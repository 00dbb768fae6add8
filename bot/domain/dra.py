"""Dynamic resource allocation: devices that nodes publish, and claims on them.

kubernetes/api:resource/v1/types.go. A pool is published in slices; only those of its newest generation count, and a
pool of which fewer slices are there than resourceSliceCount says is not used by the scheduler.
"""

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from bot.domain.dra_request import Constraint, DeviceRequest, DeviceToleration, Selecting
from bot.domain.record import NONE, Owner, Record
from bot.domain.selectors import NodeTerm

__all__ = (
    "Allocated",
    "Capacity",
    "Constraint",
    "Device",
    "DeviceClass",
    "DeviceRequest",
    "DeviceTaint",
    "DeviceToleration",
    "ResourceClaim",
    "ResourceSlice",
    "Selecting",
)

Counters = Mapping[str, Mapping[str, Fraction]]  # counter set → counter → how much of it
NO_COUNTERS: Counters = {}


class DeviceTaint(msgspec.Struct, frozen=True, gc=False):
    """A taint of one device."""

    key: str
    value: str = ""
    effect: str = ""

    @property
    def blocks(self) -> bool:
        return self.effect in ("NoSchedule", "NoExecute")


class Capacity(msgspec.Struct, frozen=True, gc=False):
    """How much of something a device has, and in which portions several claims may share it."""

    value: Fraction
    default: Fraction | None = None
    valid: tuple[Fraction, ...] = ()
    least: Fraction | None = None  # of a range
    most: Fraction | None = None
    step: Fraction | None = None
    ranged: bool = False


class Device(msgspec.Struct, frozen=True, gc=False):
    """One device of a slice. `attributes` are plain texts; `types` says what they were (string, int, bool, version).

    node, all_nodes, node_terms: who reaches it, where its slice leaves that to the devices.
    """

    name: str
    attributes: Mapping[str, str] = NONE
    tainted: bool = False
    types: Mapping[str, str] = NONE
    capacity: Mapping[str, Capacity] = msgspec.field(default_factory=dict)
    taints: tuple[DeviceTaint, ...] = ()
    counters: Counters = NO_COUNTERS  # what it takes of its pool's counters
    shared: bool = False  # allowMultipleAllocations
    conditional: bool = False  # has binding conditions
    node: str = ""
    all_nodes: bool = False
    node_terms: tuple[NodeTerm, ...] | None = None


class ResourceSlice(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """One slice of a pool of devices."""

    driver: str
    pool: str
    generation: int = 0
    slices: int = 1  # resourceSliceCount
    node: str = ""  # empty for devices that more than one node can reach
    all_nodes: bool = False
    node_terms: tuple[NodeTerm, ...] | None = None
    per_device: bool = False  # each device says itself who reaches it
    counters: Counters = NO_COUNTERS  # what devices of the pool share
    devices: tuple[Device, ...] = ()


class Allocated(msgspec.Struct, frozen=True, gc=False):
    """One device that a claim holds."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class ResourceClaim(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """A claim: what it asks for and what it was given.

    `allocated` leaves out devices that are only looked at (admin access). `portions` are the shares among them: the
    device stays open to others, and the claim takes that much of its capacity.
    """

    namespace: str
    owner: Owner | None = None
    allocated: tuple[Allocated, ...] = ()
    reserved_for: tuple[str, ...] = ()  # names of pods
    deleted: str = ""
    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    is_allocated: bool = False
    node_terms: tuple[NodeTerm, ...] | None = None  # where its devices can be reached; None: everywhere
    portions: tuple[tuple[Allocated, tuple[tuple[str, Fraction], ...]], ...] = ()
    reserved_uids: tuple[str, ...] = ()  # of pods and whoever else it is reserved for
    extended: bool = False  # made by the scheduler for extended resources of its owner


class DeviceClass(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """What devices of a class have in common. `extended_resource`: pods may ask for them by that name."""

    selectors: tuple[Selecting, ...] = ()
    extended_resource: str = ""
