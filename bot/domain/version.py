"""CUDA and driver versions as numbers that compare."""

import re
from typing import NamedTuple

_FIRST_DRIVER = 100  # driver branches have three digits, CUDA's major versions two
_NUMBERS = re.compile(r"(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?")


class Version(NamedTuple):
    """A CUDA or driver version: major and minor compare as numbers."""

    major: int
    minor: int = 0
    patch: int = 0

    def __str__(self) -> str:
        patch = f".{self.patch:02d}" if self.patch else ""
        return f"{self.major}.{self.minor:02d}{patch}" if self.major >= _FIRST_DRIVER else f"{self.major}.{self.minor}"


def version(text: str) -> Version | None:
    """`550.144.03`, `12.4` or `13` as a version; what follows the third number is left out."""
    found = _NUMBERS.match(text.strip())
    return Version(*(int(part or 0) for part in found.groups())) if found else None
