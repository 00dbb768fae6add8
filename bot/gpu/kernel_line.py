"""One line of `dmesg --time-format iso`, `dmesg -T` or a journal: its time and its words.

A line whose time cannot be read keeps its place among the others; hosts and process names stand before the words.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.domain.pattern import Pattern

_ISO = Pattern(r"\[?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?\]?\s?")
_CTIME = Pattern(r"\[?\w{3} (\w{3}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})\]?\s?")
_HOST = Pattern(r"(?:[\w.-]{1,80} )?kernel: ")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its time; `time` is None where it could not be read."""

    time: datetime | None
    text: str


def line_of(piece: str) -> Line:
    if found := _ISO.match(piece):
        text = _HOST.sub("", piece[found.end() :], count=1)
        return Line(_iso(found[1], found[2] or "Z"), text)
    if found := _CTIME.match(piece):
        return Line(_ctime(found), piece[found.end() :])
    return Line(None, piece[piece.find("NVRM:") :] if "NVRM:" in piece else piece)


def _iso(day: str, zone: str) -> datetime | None:
    try:
        return datetime.fromisoformat(day + zone)
    except ValueError:
        return None


def _ctime(found: re.Match[str]) -> datetime | None:
    if found[1] not in _MONTHS:
        return None
    try:
        day = datetime.strptime(f"{found[4]} {found[2]} {found[3]}", "%Y %d %H:%M:%S").replace(tzinfo=UTC)
        return day.replace(month=_MONTHS.index(found[1]) + 1)
    except ValueError:
        return None
