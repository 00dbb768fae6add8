"""Semantic versions, strictly as semver.org 2.0.0 has them: what a device's `version` attribute is."""

import re
from typing import NamedTuple

from bot.domain.pattern import Pattern

_FORM = Pattern(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?"
    r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?",
    re.ASCII,
)
_LOOSE = Pattern(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+].*)?", re.ASCII)
_LONGEST = 256

Part = tuple[int, int, str]  # numbers sort before words


class Semver(NamedTuple):
    """Sorts as versions do: a release after its pre-releases. Build metadata counts for nothing."""

    major: int
    minor: int
    patch: int
    released: bool
    before: tuple[Part, ...]


def parse(text: str, *, loose: bool = False) -> Semver | None:
    """None where the text is no version. `loose` puts up with a leading v, leading zeros and missing numbers."""
    if len(text) > _LONGEST:
        return None
    found = _FORM.fullmatch(_tidied(text) if loose else text)
    if found is None:
        return None
    major, minor, patch, before, _ = found.groups()
    parts = tuple(_part(one) for one in before.split(".")) if before else ()
    return Semver(int(major), int(minor), int(patch), not parts, parts)


def _tidied(text: str) -> str:
    found = _LOOSE.fullmatch(text)
    if found is None:
        return text
    *numbers, rest = found.groups()
    return ".".join(str(int(number or 0)) for number in numbers) + (rest or "")


def _part(text: str) -> Part:
    return (0, int(text), "") if text.isdigit() else (1, 0, text)
