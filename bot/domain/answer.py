"""An answer as data: a cause with an id, numbers, names, remedies, and what could not be seen.

Terminal, Slack and JSON are made from the same answer, so they cannot disagree; tests ask for meaning, not for words.
"""

from datetime import datetime
from typing import Any

import msgspec


class Cause(msgspec.Struct, frozen=True):
    """`id` is stable (for scripts and alerts), `sentence` is the verdict in words."""

    id: str
    sentence: str


class Remedy(msgspec.Struct, frozen=True):
    """Something that helps. `verified`: it was tried on a copy of the state; None: it only looks, nothing changes."""

    action: str
    command: str = ""
    verified: bool | None = None
    cost: str = ""


class HolderLine(msgspec.Struct, frozen=True):
    """Who holds what."""

    who: str
    amounts: dict[str, int]  # kind of GPU → how many


class SourceLine(msgspec.Struct, frozen=True):
    """One source and its age; None: never heard."""

    name: str
    reading: str
    age_seconds: float | None
    detail: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """`told` is False where a source was silent and the question could not be answered for that."""

    question: str = ""
    cluster: str = ""
    as_of: datetime | None = None
    cause: Cause
    evidence: tuple[str, ...] = ()
    holders: tuple[HolderLine, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    unknown: tuple[str, ...] = ()
    sources: tuple[SourceLine, ...] = ()
    numbers: dict[str, Any] = {}
    text: str = ""
    told: bool = True
