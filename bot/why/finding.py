"""What a stage finds, and what a stage is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from bot.domain.answer import HolderLine, Remedy
from bot.domain.evidence import Wanted

if TYPE_CHECKING:
    from bot.why.case import Case

NOTHING_WANTED = Wanted()


class Level(IntEnum):
    """How much a finding explains.

    CAUSE: this alone keeps the subject from running. ROOT: why a cause is so (a plugin that does not run behind a
    resource that no node offers). ALSO: will be in the way next, or goes wrong beside it. NOTE: worth knowing, nothing
    is wrong.
    """

    CAUSE = 1
    ROOT = 2
    ALSO = 3
    NOTE = 4


@dataclass(frozen=True, slots=True)
class Group:
    """Lines under one heading, such as nodes by what blocks them. `holds`: who has what is needed."""

    title: str
    lines: tuple[str, ...]
    holders: tuple[HolderLine, ...] = field(default=(), compare=False)  # the same as numbers


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a stage found. In all sentences `backticks` mark names and commands that can be typed.

    id: stable, `stage.what`, for scripts and history (`quota.exceeded`).
    sentence: a CAUSE continues "llm/glm-0 waits 2 h: …", so it begins in lower case and ends without a full stop; it
        names numbers and names. All other levels are whole sentences of their own, also without the last full stop.
    evidence: lines that prove it: numbers that can be checked, quotes of messages and logs, times.
    groups: longer evidence under headings of its own (nodes by blocker, holders).
    remedies: safest and cheapest first. `verified` is True only where it was tried on a copy of the cluster or the
        rule that found the fault was run again on the changed data.
    useless: advice that suggests itself and does not help, with the reason ("More nodes do not help: …").
    unknown: what could not be looked at and would have told more.
    until: when waiting is right: until what, and when that is.
    sole: no remedy but its own is right, so that none of another finding is shown beside it.
    weight: among findings of one level in one stage the heaviest comes first.
    """

    id: str
    sentence: str
    level: Level = Level.CAUSE
    evidence: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    useless: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    until: str = ""
    sole: bool = False
    weight: int = 0
    numbers: dict[str, object] = field(default_factory=dict, compare=False)


def _wants_nothing(case: "Case") -> Wanted:
    del case
    return NOTHING_WANTED


@dataclass(frozen=True, slots=True)
class Stage:
    """One place where something can be stuck.

    order: stages are asked from the owner down to the last probe; 10 apart, so that one can be put between.
    judge: what it finds; nothing where it has nothing to say. It never raises for odd data, and never awaits.
    wants: what should be looked up for it, decided before any of it is there (`case.evidence` is empty then).
    needs: plurals of the kinds it reads.
    docs: the module's docstring: its page.
    """

    name: str
    order: int
    judge: Callable[["Case"], Iterable[Finding]]
    wants: Callable[["Case"], Wanted] = _wants_nothing
    needs: frozenset[str] = frozenset()
    docs: str = ""
