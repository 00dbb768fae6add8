"""Xids that are the program's own (13, 31, 43, 69 and their like): a pod crashed. The GPU is well, as a rule.

Only where one GPU shows them again and again, with different programs and no other GPU of the node, is it suspect.
"""

from collections.abc import Iterator

from bot.checks import by_xid, remedies
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.checks.xid_events import Burst
from bot.checks.xid_groups import program
from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.words import count
from bot.gpu.stack import commands

SUSPECT_PROGRAMS = 3  # different ones on one GPU within a day; ours
_PID = Pattern(r"pid='?(\d{1,10})")


def _judge(scene: Scene) -> Iterator[Finding]:
    groups = list(by_xid.caused_by(scene, program()))
    for group in groups:
        programs = _programs(group)
        if len(groups) == 1 and len(programs) >= SUSPECT_PROGRAMS:
            yield _suspect(scene, group, len(programs))
        else:
            yield by_xid.fires(scene, group, lambda scene, burst: _advice(scene), Severity.INFO)


def _programs(group: list[Burst]) -> set[str]:
    return {found[1] for burst in group for event in burst.events if (found := _PID.search(event.text))}


def _advice(scene: Scene) -> Iterator[Remedy]:
    yield Remedy(
        "See the log of the pod that used it then: its image, a kernel of its own or its arguments are at fault"
    )


def _suspect(scene: Scene, group: list[Burst], programs: int) -> Finding:
    test = commands.on_host(scene.name, "dcgmi diag -r 2")
    told = by_xid.fires(
        scene,
        group,
        lambda scene, burst: (*remedies.move(scene), Remedy("Test it when nothing uses it", test, cost="minutes")),
        Severity.WARNING,
    )
    return Finding(
        state=told.state,
        severity=told.severity,
        subject=told.subject,
        sentence=f"{told.sentence}: {count(programs, 'program')} failed on it and none on another GPU: it is suspect",
        evidence=told.evidence,
        remedies=told.remedies,
        at=told.at,
    )


CHECK = Check(
    id="pods.program_xid",
    title="a program failed on a GPU",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    docs=__doc__ or "",
    reads=by_xid.TOLD_BY,
    judge=_judge,
)
