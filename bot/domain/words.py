"""Numbers and lists in words."""

from collections.abc import Sequence
from datetime import datetime

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def count(number: int, one: str, many: str = "") -> str:
    """`1 node`, `3 nodes`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def names(items: Sequence[str], shown: int = 3, total: int | None = None) -> str:
    """`a, b and c`, or `a, b, c and 740 more`."""
    total = len(items) if total is None else total
    kept = list(items[:shown])
    if total > len(kept):
        return f"{', '.join(kept)} and {total - len(kept):,} more" if kept else f"{total:,}"
    return " and ".join([", ".join(kept[:-1]), kept[-1]]) if len(kept) > 1 else "".join(kept)


def duration(seconds: float) -> str:
    """`0.8 s`, `34 s`, `5 min`, `2 h 10 min`, `3 d 4 h`: two units at most."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    whole = int(seconds)
    for index, (size, unit) in enumerate(_UNITS):
        if whole >= size:
            smaller, name = _UNITS[index + 1] if index + 1 < len(_UNITS) else (1, "s")
            rest = whole % size // smaller
            return f"{whole // size:,} {unit}" + (f" {rest} {name}" if rest and unit != "min" else "")
    return f"{whole} s"


def capped(text: str, longest: int) -> str:
    """At most so many characters, the last one an ellipsis where some are left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def first_and_others(items: Sequence[str]) -> str:
    """`a`, or `a and 3 others`; of at least one."""
    return items[0] if len(items) == 1 else f"{items[0]} and {count(len(items) - 1, 'other')}"


def clock(at: datetime, beside: datetime) -> str:
    """`10:02 UTC`, with the date where it is another day than `beside`."""
    return f"{at:%H:%M} UTC" if at.date() == beside.date() else f"{at:%Y-%m-%d %H:%M} UTC"
