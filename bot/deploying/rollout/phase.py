"""The phases of a start, in their order, and how one of them stands."""

import enum
from dataclasses import dataclass


class Phase(enum.StrEnum):
    """What a replica goes through; what it is in is not done yet."""

    ADMITTED = "admitted"  # its pods are made: quota, admission
    SCHEDULED = "scheduled"
    IMAGE = "image"
    WEIGHTS = "weights"  # are put on the volume
    LOADING = "loading"  # into the GPUs
    COMPILING = "compiling"
    WARM = "warm"
    READY = "ready"


ORDER = tuple(Phase)


class Standing(enum.StrEnum):
    """How a phase stands."""

    AHEAD = "ahead"
    GOING = "going"
    LATE = "late"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Where:
    """Where one pod is. since_seconds: how long it has been in it, None where nothing tells. says: what it does now.

    failed: why it will not get further by itself; empty while it may.
    """

    pod: str
    phase: Phase
    node: str = ""
    since_seconds: float | None = None
    says: str = ""
    failed: str = ""
    took: tuple[tuple[Phase, float], ...] = ()  # phases that are done → seconds
    image: str = ""  # how large its image is, where that is known


@dataclass(frozen=True, slots=True)
class Tick:
    """One phase of the clock."""

    phase: Phase
    standing: Standing
    seconds: float | None = None
    says: str = ""
