"""What the pods of a GPU stack write when something is wrong: device plugin, driver, toolkit, MIG manager and so on."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from bot.domain.pattern import Pattern
from bot.gpu.plugin_signs import PATTERNS, Sign

__all__ = ("Reading", "Said", "Sign", "read")

LONGEST_LOG = 128 * 1024  # characters, from the end
LONGEST_QUOTE = 200
MOST_GPUS = 16
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Said:
    """One kind of line in a log: the newest of them as it stood (`quote`, without what stands before its words).

    xid and devices are what its lines name, in order. `count` is how many lines there were.
    """

    sign: Sign
    quote: str
    count: int = 1
    xids: tuple[int, ...] = ()
    devices: tuple[str, ...] = ()
    clock: str = ""  # `09:41`, as the line has it


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a log says, in the order of the newest line of each kind; `last` is its last line."""

    said: tuple[Said, ...] = ()
    last: str = ""

    def find(self, *signs: Sign) -> Said | None:
        """The first of those signs that the log has."""
        return next((one for sign in signs for one in self.said if one.sign is sign), None)

    @property
    def ends_with(self) -> Sign | None:
        """What the last line means."""
        return next((sign for sign, pattern in PATTERNS if pattern.search(self.last)), None)


_PREFIX = Pattern(
    r"^(?:[IWEF]\d{4} [\d:.]+ +\d+ [\w./-]+:\d+\] )?"  # klog
    r"(?:time=\"?\S+\"? level=\w+ (?:msg=)?)?"  # logrus
    r"(?:\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+Z?\S* )?"
)
_CLOCK = Pattern(r"(?<!\d)(\d\d:\d\d):\d\d")


@lru_cache(maxsize=64)
def read(log: str) -> Reading:
    """Everything known that the log says; an empty reading of a log that says nothing."""
    lines = [line.strip() for line in log[-LONGEST_LOG:].splitlines() if line.strip()]
    found: dict[Sign, Said] = {}
    for line in lines:
        for sign, pattern in PATTERNS:
            if match := pattern.search(line):
                found[sign] = _added(found.pop(sign, None), sign, line, match)
                break
    return Reading(tuple(found.values()), lines[-1] if lines else "")


def _added(before: Said | None, sign: Sign, line: str, match: re.Match[str]) -> Said:
    groups = match.groupdict()
    xid = groups.get("xid") or groups.get("seen")
    device = groups.get("device") or groups.get("marked") or groups.get("other")
    clock = _CLOCK.search(line)
    return Said(
        sign,
        _quote(line),
        (before.count if before else 0) + 1,
        _more(before.xids if before else (), int(xid) if xid else None),
        _more(before.devices if before else (), device),
        clock[1] if clock else "",
    )


def _more(known: tuple[T, ...], new: T | None) -> tuple[T, ...]:
    return known if new is None or new in known or len(known) >= MOST_GPUS else (*known, new)


def _quote(line: str) -> str:
    text = _PREFIX.sub("", line, count=1).strip().strip('"')
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"
