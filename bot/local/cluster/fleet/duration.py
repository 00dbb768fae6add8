"""Ages as people write them: 41d, 2h10m, 90s."""

import re
from datetime import timedelta

UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
WHOLE = re.compile(r"(?:\d+[dhms])+")
PART = re.compile(r"(\d+)([dhms])")


def parse_duration(text: str) -> timedelta:
    """Raises ValueError for anything else than numbers with d, h, m or s."""
    if not WHOLE.fullmatch(text):
        raise ValueError(f"not a duration such as 41d or 2h10m: {text!r}")
    return sum((timedelta(**{UNITS[unit]: int(number)}) for number, unit in PART.findall(text)), timedelta())
