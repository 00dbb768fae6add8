"""One ordered answer from what the stages found.

The first line is the first cause and, where a stage found it, the root behind it. Everything else follows in the order
in which somebody at night wants it: proof, what helps, what does not, what could not be seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import bot.why.stages
from bot.domain.evidence import Wanted
from bot.registry import collect
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.standing import Standing, stands


@dataclass(frozen=True, slots=True)
class Explanation:
    """`first` is the cause that the first line tells; None where nothing is wrong or nothing could be found."""

    case: Case
    standing: Standing
    findings: tuple[Finding, ...]
    first: Finding | None = None
    root: Finding | None = None

    @property
    def id(self) -> str:
        """Stable, for scripts and history."""
        told = self.root or self.first
        return told.id if told else "well" if self.standing.well else "unknown"

    @property
    def sentence(self) -> str:
        """The verdict without marks of its own."""
        head = f"{self.case.subject.title} {self.standing.words}"
        if self.first is None and self.well is not None:
            return f"{self.well.sentence}."
        if self.first is None:
            return f"{head}." if self.standing.well else f"{head}: {_nothing_found(self.case)}."
        behind = f" {self.root.sentence}." if self.root and self.root is not self.first else ""
        return f"{head}: {_continued(self.first)}.{behind}"

    @property
    def well(self) -> Finding | None:
        """What is to be told of a pod that runs well; of an owner its standing says it: one pod is not all of it."""
        if not self.standing.well or self.case.subject.pod is None:
            return None
        return next((one for one in self.findings if one.id.endswith(WELL)), None)

    @property
    def main(self) -> tuple[Finding, ...]:
        """What the first line tells, each once."""
        told = (self.first, self.root) if self.first else (self.well,)
        return tuple(dict.fromkeys(one for one in told if one is not None))

    @property
    def others(self) -> tuple[Finding, ...]:
        """What was found beside the first line's."""
        told = (self.first, self.root, self.well)
        return tuple(one for one in self.findings if not any(one is other for other in told) and not self._hides(one))

    def _hides(self, one: Finding) -> bool:
        """That another pod of it runs well is no news where something is wrong."""
        return self.first is not None and one.id.endswith(WELL)


WELL = ".well"  # findings whose id ends so say that nothing is wrong
BLIND = (".fits", ".beyond")  # and those that no filter is in its way: of no interest where something else is
_OPENERS = ("It ", "Its ", "No ", "The ", "One ")


@cache
def stages() -> tuple[Stage, ...]:
    """All stages in the order in which they are asked."""
    return tuple(sorted(collect(bot.why.stages, "STAGE", Stage), key=lambda stage: stage.order))


def wanted(case: Case) -> Wanted:
    """All that the stages want looked up before they judge."""
    return sum((stage.wants(case) for stage in stages()), Wanted())


def explain(case: Case) -> Explanation:
    """Ask every stage."""
    found = [(stage.order, finding) for stage in stages() for finding in stage.judge(case)]
    ordered = _without_blind(
        tuple(one for _, one in sorted(found, key=lambda pair: (pair[1].level, pair[0], -pair[1].weight)))
    )
    first = next(_of(ordered, Level.CAUSE), None)
    root = next(_of(ordered, Level.ROOT), None)
    return Explanation(case, stands(case), ordered, first or root, root if first else None)


def _without_blind(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """A queue, a gang or another scheduler has the last word, not kube-scheduler's filters."""
    if not any(one.level is Level.CAUSE and not one.id.endswith(BLIND) for one in findings):
        return findings
    return tuple(one for one in findings if not one.id.endswith(BLIND))


def _continued(one: Finding) -> str:
    """Behind a colon. A root that stands for a cause is a sentence of its own, which begins with a capital."""
    text = one.sentence
    return text[0].lower() + text[1:] if text.startswith(_OPENERS) else text


def _of(findings: tuple[Finding, ...], level: Level) -> Iterator[Finding]:
    return (one for one in findings if one.level is level)


def _nothing_found(case: Case) -> str:
    if case.waits:
        return "nothing that gpubot can see keeps it from running"
    return "nothing that gpubot can see is wrong with it"
