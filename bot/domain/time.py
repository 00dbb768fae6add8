"""Times as the API server writes them."""

from datetime import UTC, datetime


def read_time(text: str) -> datetime | None:
    """An RFC 3339 time, or None where the text is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def seconds_since(text: str, now: datetime) -> float | None:
    """Seconds from that time to `now`, or None where the text is no time."""
    then = read_time(text)
    return None if then is None else (now - then).total_seconds()
