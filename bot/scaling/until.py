"""Until when a scale shall hold, as people say it: `until 18:00`, `until tomorrow 9:00`, `for 3h`. Times are UTC.

A time of day that is past today is refused and not taken for tomorrow: whoever types it may think of another zone.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bot.domain.errors import UsageError
from bot.domain.lasting import lasting
from bot.domain.pattern import Pattern
from bot.grammar import quoted

LONGEST = timedelta(days=30)
SHORTEST = timedelta(minutes=1)
_CLOCK = Pattern(r"(\d{1,2})(?::(\d{2}))?(am|pm)?")
_OFFSET = Pattern(r"([+-])(\d{2}):?(\d{2})")
_UNITS = {"hours": "h", "hour": "h", "minutes": "m", "minute": "m", "mins": "m", "days": "d", "day": "d", "hrs": "h"}
_EXAMPLES = "for example `until 18:00`, `until tomorrow 9:00`, `for 3h`"


def ends_at(words: Sequence[str], now: datetime) -> tuple[list[str], datetime | None]:
    """The words before `until` or `for`, and that time. Raises UsageError."""
    low = [word.casefold() for word in words]
    at = next((index for index, word in enumerate(low) if index and word in ("until", "till", "for")), None)
    if at is None:
        return list(words), None
    told = [word for word in low[at + 1 :] if word not in ("at", "the", "about")]
    if not told:
        raise UsageError(f"`{low[at]}` what? {_EXAMPLES.capitalize()}.")
    end = _after(told, now) if low[at] == "for" else _until(told, now)
    if end - now > LONGEST:
        raise UsageError(f"A temporary scale lasts at most {LONGEST.days} days; leave the end out for a lasting one.")
    return list(words[:at]), end


def _after(told: list[str], now: datetime) -> datetime:
    text = "".join(told)
    for word, short in _UNITS.items():
        text = text.replace(word, short)
    length = lasting(text)
    if length is None or length < SHORTEST:
        raise UsageError(f"{quoted(' '.join(told))} is no length of time; {_EXAMPLES}.")
    return now + length


def _until(told: list[str], now: datetime) -> datetime:
    said = " ".join(told)
    zone, told = _zone([word for word in told if word not in ("utc", "z")])
    here = now.astimezone(UTC) + zone
    day = here.date()
    explicit = False
    if told and told[0] in ("tomorrow", "today"):
        day, explicit, told = day + timedelta(days=told[0] == "tomorrow"), True, told[1:]
    elif told and (dated := _date(told[0])) is not None:
        day, explicit, told = dated.date(), True, told[1:] or ([f"{dated:%H:%M}"] if "t" in told[0] else [])
    clock = _clock(told[0]) if len(told) == 1 else None
    if clock is None:
        raise UsageError(f"{quoted(said)} is no time; {_EXAMPLES}.")
    end = datetime(day.year, day.month, day.day, *clock, tzinfo=UTC) - zone
    if end <= now:
        hint = "" if explicit else f"; `until tomorrow {told[0]}` is to come"
        raise UsageError(f"{end:%Y-%m-%d %H:%M} UTC is past (it is {now.astimezone(UTC):%H:%M} UTC){hint}.")
    return end


def _zone(told: list[str]) -> tuple[timedelta, list[str]]:
    """An offset at the end, as in `18:00+02:00`."""
    if not told:
        return timedelta(0), told
    found = _OFFSET.search(told[-1]) if ":" in told[-1] else None
    if found is None or not told[-1].endswith(found[0]) or int(found[2]) > 14:
        return timedelta(0), told
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return (offset if found[1] == "+" else -offset), [*told[:-1], told[-1].removesuffix(found[0])]


def _date(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.upper().removesuffix("Z")) if text[:1].isdecimal() and "-" in text else None
    except ValueError:
        return None


def _clock(text: str) -> tuple[int, int] | None:
    found = _CLOCK.fullmatch(text) if text.isascii() else None
    if found is None or not (found[2] or found[3]):
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (found[3] == "pm")
    return (hour, minute) if hour < 24 and minute < 60 else None
