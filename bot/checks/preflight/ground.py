"""Everything that the points of one node are judged from, and the answers that several points give alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bot.checks.finding import Finding
from bot.checks.preflight.attributed import fails, noted, point_of
from bot.checks.preflight.point import Outcome, Point, State
from bot.checks.preflight.shared import Shared
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.gpu import leaving
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.vendor import NVIDIA


@dataclass
class Ground:
    """`findings` are those of the checks; `broken` is the first point that was found not OK, from the card upwards."""

    scene: Scene
    findings: tuple[Finding, ...]
    shared: Shared
    pool: str
    broken: Point | None = None

    @property
    def name(self) -> str:
        return self.scene.name

    @property
    def nvidia(self) -> bool:
        return self.scene.sight.vendor is NVIDIA

    @cached_property
    def changing(self) -> str:
        """What goes on there and ends by itself, a sentence: it is coming up, being upgraded, or going away."""
        passing = next((one.sentence for one in self.scene.faults if one.passes), "")
        passing = passing or next((one.sentence for one in self.findings if one.passes), "")
        away = leaving.why(self.scene.node, self.scene.sight.events)
        return passing or (f"{self.name} goes away: {away}" if away else "")

    def failing(self, point: Point) -> list[Finding]:
        return [one for one in self.findings if point_of(one.check) == point.id and fails(one)]

    def notes(self, point: Point) -> tuple[str, ...]:
        return tuple(one.sentence for one in self.findings if point_of(one.check) == point.id and noted(one))

    # ---- answers -------------------------------------------------------------------------------------------------

    def ok(self, fact: str, *evidence: str, notes: Iterable[str] = ()) -> Outcome:
        """`fact` goes on after the node's name."""
        return Outcome(
            state=State.OK, sentence=f"{self.name} {fact}", evidence=tuple(filter(None, evidence)), notes=tuple(notes)
        )

    def wrong(self, reason: str, fact: str, *evidence: str, remedies: Iterable[Remedy] = ()) -> Outcome:
        return Outcome(
            state=State.NOT_OK,
            sentence=f"{self.name} {fact}",
            reason=reason,
            evidence=tuple(filter(None, evidence)),
            remedies=tuple(remedies),
        )

    def unknown(self, reason: str, fact: str, *evidence: str) -> Outcome:
        """Where something goes on that ends by itself, that is said instead, and nobody has to act."""
        return Outcome(
            state=State.UNKNOWN,
            sentence=self.changing or f"{self.name} {fact}",
            reason="changing" if self.changing else reason,
            evidence=tuple(filter(None, evidence)),
            passes=bool(self.changing),
        )


def found(findings: list[Finding], notes: tuple[str, ...]) -> Outcome:
    """Not OK by what checks found, told by the worst of them."""
    first, *others = findings
    return Outcome(
        state=State.NOT_OK,
        sentence=first.sentence,
        reason=first.check,
        evidence=(*first.evidence, *(f"also: {one.sentence}" for one in others)),
        remedies=first.remedies,
        notes=notes,
    )


def runs(pod: Pod) -> bool:
    """Whether all its containers do their work; one that is still being made does not."""
    return pod.phase == "Running" and stuck(pod) is None
