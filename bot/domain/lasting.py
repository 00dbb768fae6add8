"""How long, and until when, as people write it: `2h`, `90m`, `1d12h`; `18:00` is the next such time, in UTC."""

import re
from datetime import UTC, datetime, timedelta

_PARTS = re.compile(r"(?:(\d{1,4})d)?(?:(\d{1,4})h)?(?:(\d{1,5})(?:m|min))?", re.ASCII | re.IGNORECASE)
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)


def lasting(text: str) -> timedelta | None:
    """None where the text is no length of time; nothing at all is none either."""
    match = _PARTS.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes = (int(part or 0) for part in match.groups())
    return timedelta(days=days, hours=hours, minutes=minutes) or None


def next_at(text: str, now: datetime) -> datetime | None:
    """The next time the clock shows that, after `now`; None where the text is no time of day."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    there = now.astimezone(UTC)
    found = there.replace(hour=int(match[1]), minute=int(match[2]), second=0, microsecond=0)
    return found if found > there else found + timedelta(days=1)
