"""What the kernel's messages mean for the GPUs: Xids, GPUs that came back, a driver that was loaded again.

The forms of Xids are read by `bot.gpu.kernel_log`; here is what one line alone does not tell.
"""

import re
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.agent.kernel_record import Record
from bot.gpu.kernel_log import KernelLog, XidLine

KEPT_LINES = 2_000
TWO_LINES_APART = 3
OFF_BUS = 79
RECOVERY = 154
_OF_STACK = re.compile(
    r"NVRM|nvidia|SXid|NVSwitch|Linux version |blocked for more than|Killed process|fabric ?manager", re.I
)
_THE_GPU = re.compile(r"NVRM: The NVIDIA GPU (?:PCI:)?(?P<bus>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})")
_NONE_NEEDED = re.compile(r"recovery action changed from 0x[1-9a-f]\w* .{0,80} to 0x0\b")
_SWITCH = re.compile(
    r"SXid \((?:PCI:)?(?P<bus>[0-9a-fA-F:]{7,16})(?:\.[0-7])?\): (?P<code>\d{1,6}), (?P<text>.{0,400})"
)
_SWITCH_DETAIL = re.compile(r"(?:Data \{|Severity )")


@dataclass(frozen=True, slots=True)
class KernelSign:
    """What a message told: an Xid, an SXid (`switch`), that `bus` needs no recovery now, that the driver was loaded."""

    at: datetime
    bus: str = ""
    code: int = 0
    text: str = ""
    switch: bool = False
    recovered: bool = False
    driver_loaded: bool = False


class KernelEar:
    """Reads messages in order; keeps those that speak of the GPU stack."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._named: tuple[str, int] | None = None  # the GPU of a sentence that goes on in the next lines

    def hear(self, record: Record) -> KernelSign | None:
        if not _OF_STACK.search(record.text):
            return None
        line = f"{record.time.astimezone(UTC).isoformat(timespec='seconds')} kernel: {record.text}"
        self.lines.append(line)
        log = KernelLog(line)
        if log.loaded:
            return KernelSign(record.time, driver_loaded=True)
        if log.xids:
            self._named = None
            return _xid(record.time, log.xids[0])
        return self._switch(record) or self._two_lines(record)

    def _switch(self, record: Record) -> KernelSign | None:
        """NVSwitch errors; the lines of detail that follow with the same number are no errors of their own."""
        found = _SWITCH.search(record.text)
        if not found or _SWITCH_DETAIL.match(found["text"]):
            return None
        return KernelSign(record.time, found["bus"].lower(), int(found["code"]), found["text"], switch=True)

    def _two_lines(self, record: Record) -> KernelSign | None:
        """`The NVIDIA GPU <bus>` … `fallen off the bus`, which the driver writes as several lines."""
        if found := _THE_GPU.search(record.text):
            self._named = (found["bus"].lower(), TWO_LINES_APART)
            return None
        if self._named is None:
            return None
        bus, left = self._named
        if "fallen off the bus" in record.text:
            self._named = None
            return KernelSign(record.time, bus, OFF_BUS, "GPU has fallen off the bus")
        self._named = (bus, left - 1) if left > 1 else None
        return None


def _xid(at: datetime, found: XidLine) -> KernelSign:
    recovered = found.code == RECOVERY and bool(_NONE_NEEDED.search(found.text))
    return KernelSign(at, found.bus, found.code, found.text, recovered=recovered)
