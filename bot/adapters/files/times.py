"""Points in time that people type, and the newest one that the objects of a folder tell of."""

import re
from datetime import UTC, date, datetime, time

from bot.domain.errors import ConfigError

# Keys under which the API and its controllers note when something happened. Times that may lie ahead, such as
# deletionTimestamp and a certificate's end, are not among them.
_HAPPENED = (
    "creationTimestamp lastTransitionTime lastHeartbeatTime lastProbeTime lastUpdateTime firstTimestamp lastTimestamp "
    "eventTime lastObservedTime time startTime startedAt finishedAt completionTime lastScheduleTime lastSuccessfulTime "
    "lastScaleTime renewTime acquireTime"
).split()
_NOTED = re.compile(
    rb'"(?:'
    + "|".join(_HAPPENED).encode()
    + rb')"\s*:\s*"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d))"'
)
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME_OF_DAY = re.compile(r"\d\d?:\d\d(?::\d\d)?", re.ASCII)
_SHOWN = 40
_HOW = "write 2026-11-30T12:00:00Z, 2026-11-30 or 12:00"


def parse_time(text: str, *, day: date | None = None) -> datetime:
    """An RFC 3339 time, a date (its first moment, UTC), or `HH:MM` (UTC) on `day`. Raises ConfigError.

    A time without its zone is refused: hours of error would look like an answer.
    """
    text = text.strip()
    shown = repr(text[:_SHOWN])
    try:
        if found := _INSTANT.fullmatch(text):
            if not found[3]:
                raise ConfigError(f"{shown} does not say its time zone: end it with Z or with +01:00")
            return datetime.fromisoformat(f"{found[1]}T{found[2]}{found[3].upper()}").astimezone(UTC)
        if _DAY.fullmatch(text):
            return datetime.combine(date.fromisoformat(text), time(), UTC)
        if _TIME_OF_DAY.fullmatch(text) and day is not None:
            return datetime.combine(day, time.fromisoformat(text.zfill(5) if len(text) < 6 else text.zfill(8)), UTC)
    except (ValueError, OverflowError) as error:
        raise ConfigError(f"{shown} is not a time: {error}") from error
    raise ConfigError(f"{shown} is not a time: {_HOW}")


def newest_noted(raw: bytes) -> datetime | None:
    """The newest time at which, by the object's own JSON, something happened to it."""
    newest: datetime | None = None
    for text in set(_NOTED.findall(raw)):
        try:
            moment = datetime.fromisoformat(text.decode().upper()).astimezone(UTC)
        except (ValueError, OverflowError):  # the 31st of February in somebody's annotation tells nothing
            continue
        newest = moment if newest is None else max(newest, moment)
    return newest
