"""Dynamic resource allocation: devices that nodes publish, and claims on them.

kubernetes/api:resource/v1/types.go. A pool is published in slices; only those of its newest generation count, and a
pool of which fewer slices are there than resourceSliceCount says is not used by the scheduler.
"""

from collections.abc import Mapping

import msgspec

from bot.domain.record import NONE, Owner, Record


class Device(msgspec.Struct, frozen=True, gc=False):
    """One device of a slice. `attributes` are plain texts, whatever their type was."""

    name: str
    attributes: Mapping[str, str] = NONE
    tainted: bool = False


class ResourceSlice(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """One slice of a pool of devices."""

    driver: str
    pool: str
    generation: int = 0
    slices: int = 1  # resourceSliceCount
    node: str = ""  # empty for devices that more than one node can reach
    devices: tuple[Device, ...] = ()


class Allocated(msgspec.Struct, frozen=True, gc=False):
    """One device that a claim holds."""

    driver: str
    pool: str
    device: str


class ResourceClaim(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """A claim and what it was given."""

    namespace: str
    owner: Owner | None = None
    allocated: tuple[Allocated, ...] = ()
    reserved_for: tuple[str, ...] = ()  # names of pods
    deleted: str = ""
