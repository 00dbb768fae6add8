"""What a check found: a fact with numbers and names, how sure and how bad it is, and what helps.

There are always three answers. A reading that is not there makes a finding unknown, with what is missing: never well.
"""

import enum
from datetime import datetime

import msgspec

from bot.domain.answer import Remedy
from bot.domain.severity import Severity
from bot.domain.text import natural

__all__ = ("VERDICTS", "Finding", "Severity", "State", "Subject", "order")


class State(enum.StrEnum):
    """The answer of a check."""

    FIRING = "firing"
    UNKNOWN = "unknown"
    OK = "ok"


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What is spoken of: a node, one of its GPUs, a pod, a pool. Empty: the whole fleet."""

    node: str = ""
    gpu: int | None = None  # the driver's index
    uuid: str = ""
    bus_id: str = ""
    pod: str = ""  # namespace/name
    pool: str = ""

    def __str__(self) -> str:
        if self.pod:
            return self.pod
        gpu = f" GPU {self.gpu}" if self.gpu is not None else f" GPU {self.bus_id}" if self.bus_id else ""
        return f"{self.node}{gpu}" or self.pool or "the fleet"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of one check about one subject.

    sentence: begins with whom it speaks of, ends without a full stop. remedies: the safest first. useless: what does
    not help, and why. missing: what was not told, where the state is unknown. passes: it is going on and ends by
    itself. `check`, `title` and `source` are filled in by `bot.checks.run`.
    """

    state: State
    severity: Severity
    subject: Subject
    sentence: str
    check: str = ""
    title: str = ""
    evidence: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    useless: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    source: str = ""
    passes: bool = False
    at: datetime | None = None  # when it began or happened, where that is known

    @property
    def alarming(self) -> bool:
        """Whether somebody has to act on it."""
        return self.state is State.FIRING and self.severity is not Severity.INFO


VERDICTS = ("gpu.recovery_action", "gpu.recovery_event")  # the driver's own, which count for more than inferences


_PLACES = {one: place for place, one in enumerate(State)}


def order(finding: Finding) -> tuple[int, int, bool, tuple[tuple[int, str], ...], str]:
    """A sort key: firing before unknown before well, the worst first, the driver's own verdict before the inferred."""
    inferred = finding.check not in VERDICTS
    return _PLACES[finding.state], finding.severity.rank, inferred, natural(str(finding.subject)), finding.check
