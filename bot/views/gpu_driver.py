"""What is said of a driver's version: until when its branch is supported, which CUDA images start on it."""

from datetime import date

from bot.checks.driver.versions import ENDS, EXACT
from bot.serving.driver import Version, newest_cuda, starts_on, version

_MAJORS = (13, 12, 11)


def supported(text: str, today: date) -> str:
    """`supported until June 2028`, `out of support since February 2026`; empty for a branch that is not known."""
    found = version(text) if text else None
    if found is None:
        return ""
    end = ENDS.get(found.major)
    if end is None:
        return "out of support" if found.major < _oldest_supported(today) else ""
    if end < today:
        return f"out of support since {end:%B %Y}" if found.major in EXACT else "out of support"
    return f"supported until {end:%B %Y}"


def out_of_support(text: str, today: date) -> bool:
    return supported(text, today).startswith("out of")


def _oldest_supported(today: date) -> int:
    """Branches are numbered in the order in which they come: all before the oldest that lives are over."""
    return min((branch for branch, end in ENDS.items() if end >= today), default=0)


def cuda(text: str) -> str:
    """`13.0`, the newest CUDA that the driver was made for; empty where that is not known."""
    found = version(text) if text else None
    newest = newest_cuda(found) if found else None
    return str(newest) if newest else ""


def starts(text: str) -> str:
    """`images with CUDA 13 and older start`: by minor-version compatibility, whatever 13.x they hold."""
    found = version(text) if text else None
    major = next((one for one in _MAJORS if starts_on(Version(one), found)), None) if found else None
    return f"images with CUDA {major} and older start" if major else ""
