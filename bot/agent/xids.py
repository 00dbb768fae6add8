"""Xids of this boot as edges: new, repeated, cleared. Pure: the time comes with what happened.

NVML and the kernel log tell the same Xid; each is counted, and the greater count holds. A GPU reset, a driver that is
loaded anew and a reboot clear.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

OPEN_MAX, CLEARED_KEPT = 256, 64
NOBODY: Mapping[str, str] = MappingProxyType({})
TEXT_CHARACTERS = 400


class Source(StrEnum):
    KERNEL = "kernel log"
    NVML = "NVML"


class Edge(StrEnum):
    NEW = "new"
    REPEATED = "repeated"
    CLEARED = "cleared"


def short_bus(bus: str) -> str:
    """`00000000:3B:00.0` of NVML and `0000:3b:00` of the kernel log are one place: the latter."""
    return bus.lower().partition(".")[0][-10:]


@dataclass(slots=True)
class Open:
    """One number on one GPU, since it was new. `switch`: of an NVSwitch (SXid)."""

    code: int
    bus: str
    at: datetime
    last: datetime
    switch: bool = False
    uuid: str = ""
    text: str = ""
    counts: dict[Source, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return max(self.counts.values(), default=1)

    def as_json(self, uuids: Mapping[str, str] = NOBODY) -> dict[str, Any]:
        """`uuids` by bus, for those that only the kernel log told."""
        return {
            "code": self.code,
            "busId": self.bus,
            "uuid": self.uuid or uuids.get(self.bus, ""),
            "at": self.at.isoformat(),
            "lastAt": self.last.isoformat(),
            "count": self.count,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Cleared:
    """What was open, and what ended it."""

    xid: Open
    at: datetime
    by: str

    def as_json(self) -> dict[str, Any]:
        return self.xid.as_json() | {"clearedAt": self.at.isoformat(), "clearedBy": self.by}


class Xids:
    """Those that are open, oldest first, and the last that were cleared."""

    def __init__(self) -> None:
        self._open: dict[tuple[bool, str, int], Open] = {}
        self.cleared: deque[Cleared] = deque(maxlen=CLEARED_KEPT)

    def open(self, *, switch: bool = False) -> list[Open]:
        return [one for one in self._open.values() if one.switch is switch]

    def note(
        self, code: int, bus: str, at: datetime, source: Source, *, text: str = "", uuid: str = "", switch: bool = False
    ) -> Edge | None:
        """None where the other source told it before, or where there are more than anybody would read."""
        key = (switch, short_bus(bus), code)
        known = self._open.get(key)
        if known is None:
            if len(self._open) >= OPEN_MAX:
                return None
            known = self._open[key] = Open(code, key[1], at, at, switch)
        before = 0 if not known.counts else known.count
        known.counts[source] = known.counts.get(source, 0) + 1
        known.last = max(known.last, at)
        known.uuid = known.uuid or uuid
        known.text = text[:TEXT_CHARACTERS] or known.text
        if not before:
            return Edge.NEW
        return Edge.REPEATED if known.count > before else None

    def clear(self, at: datetime, by: str, bus: str | None = None) -> list[Cleared]:
        """All of that GPU; all of the node where none is named."""
        place = None if bus is None else short_bus(bus)
        gone = [key for key, one in self._open.items() if one.at <= at and (place is None or key[:2] == (False, place))]
        cleared = [Cleared(self._open.pop(key), at, by) for key in gone]
        self.cleared.extend(cleared)
        return cleared
