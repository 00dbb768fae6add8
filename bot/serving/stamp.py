"""When a line was written, as far as it says: engines leave out the year, and nearly always the zone."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,]\d{1,9})?"
DATE = rf"(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)[T ]{CLOCK}(?P<zone>Z|[+-]\d\d:?\d\d)?"
DAY = rf"(?P<month>\d\d)-(?P<day>\d\d) {CLOCK}"  # vLLM
AMERICAN = rf"(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d{{4}})-{CLOCK}"  # TensorRT
GLOG = rf"(?P<month>\d\d)(?P<day>\d\d) {CLOCK}"  # klog, torch


@dataclass(frozen=True, slots=True)
class Stamp:
    """A point in time without a year where the line has none. Without a zone it is read as UTC, the images' default."""

    month: int
    day: int
    hour: int
    minute: int
    second: int
    year: int | None = None
    offset_minutes: int = 0

    def at(self, now: datetime) -> datetime | None:
        """The moment, in the year that puts it nearest to `now`; None where the figures are no date."""
        years = (self.year,) if self.year else (now.year - 1, now.year, now.year + 1)
        found = [moment for year in years if (moment := self._in(year))]
        return min(found, key=lambda moment: abs(moment - now), default=None)

    def _in(self, year: int) -> datetime | None:
        zone = timezone(timedelta(minutes=self.offset_minutes)) if self.offset_minutes else UTC
        try:
            return datetime(year, self.month, self.day, self.hour, self.minute, self.second, tzinfo=zone)
        except ValueError:
            return None


def stamp_of(found: re.Match[str]) -> Stamp | None:
    """The stamp in a match of one of this module's patterns, if it has one."""
    groups = found.groupdict()
    if not groups.get("month"):
        return None
    month, day, hour, minute, second = (int(groups[name]) for name in ("month", "day", "hour", "minute", "second"))
    year = groups.get("year")
    stamp = Stamp(month, day, hour, minute, second, int(year) if year else None, _offset(groups.get("zone")))
    return stamp if 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60 else None


def _offset(zone: str | None) -> int:
    """`+08:00` is 480; what no clock on earth shows is taken for UTC."""
    if not zone or zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return (minutes if zone[0] == "+" else -minutes) if minutes <= 14 * 60 else 0
