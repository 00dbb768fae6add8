"""Maintenance windows: the hours in which changes may be made, in the wall-clock time of a place.

    Mon-Fri 09:00-17:00 Europe/Berlin       Sat,Sun 22:00-04:00 UTC (ends on the next day)

When clocks are set forward or back, a window begins and ends by the clock on the wall.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_WINDOW = re.compile(r"(\S+) (\d\d:\d\d)-(\d\d:\d\d) (\S+)")
_EXAMPLE = "write it as Mon-Fri 09:00-17:00 Europe/Berlin"


@dataclass(frozen=True, slots=True)
class Window:
    """days: 0 is Monday, on which it begins. An end at or before the beginning is on the next day."""

    days: frozenset[int]
    begins: time
    ends: time
    zone: str
    text: str = ""

    def spans(self, around: datetime) -> list[tuple[datetime, datetime]]:
        """Beginnings and ends in UTC, from the day before `around` to a week after it."""
        place = ZoneInfo(self.zone)
        first = around.astimezone(place).date() - timedelta(days=1)
        longer = timedelta(days=0 if self.ends > self.begins else 1)
        found = []
        for day in (first + timedelta(days=number) for number in range(9)):
            if day.weekday() in self.days:
                begins = datetime.combine(day, self.begins, place)
                found.append((begins.astimezone(UTC), datetime.combine(day + longer, self.ends, place).astimezone(UTC)))
        return found


def parse(text: str) -> Window:
    """Raises ValueError that says what is wrong with it."""
    match = _WINDOW.fullmatch(" ".join(text.split()))
    if match is None:
        raise ValueError(f"{text!r} is no window: {_EXAMPLE}")
    days, begins, ends, zone = match.groups()
    try:
        ZoneInfo(zone)
        return Window(_days(days), time.fromisoformat(begins), time.fromisoformat(ends), zone, match[0])
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(f"{text!r} is no window ({error}): {_EXAMPLE}") from error


def is_open(windows: Sequence[Window], now: datetime) -> bool:
    """Without windows it always is."""
    return not windows or any(begins <= now < ends for one in windows for begins, ends in one.spans(now))


def opens_at(windows: Sequence[Window], now: datetime) -> datetime | None:
    """When the next one begins; None where there is none to come."""
    return min((begins for one in windows for begins, _ in one.spans(now) if begins > now), default=None)


def _days(text: str) -> frozenset[int]:
    """`Mon-Fri`, `Sat,Sun`, `Fri-Mon`, `daily`. Raises ValueError."""
    if text.casefold() == "daily":
        return frozenset(range(7))
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        begin, end = _day(first), _day(last or first)
        found |= {(begin + number) % 7 for number in range((end - begin) % 7 + 1)}
    return frozenset(found)


def _day(text: str) -> int:
    if text.title() not in DAYS:
        raise ValueError(f"no day is called {text!r}")
    return DAYS.index(text.title())
