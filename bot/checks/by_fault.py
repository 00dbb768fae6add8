"""Checks that the faults of a node's GPU stack answer (bot.gpu.stack.faults), so that nothing is judged twice."""

from collections.abc import Callable, Iterator

from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.gpu.stack.fault import Fault


def fault(ids: frozenset[str] | set[str], severity: Severity) -> Callable[[Scene], Iterator[Finding]]:
    """A judge that fires where the node has one of those faults. What passes by itself is only worth knowing."""

    def judged(scene: Scene) -> Iterator[Finding]:
        for one in scene.faults:
            if one.id in ids:
                yield told(scene, one, severity)

    return judged


def told(scene: Scene, one: Fault, severity: Severity) -> Finding:
    until = (f"it is over when {one.until}",) if one.until else ()
    return Finding(
        state=State.FIRING,
        severity=Severity.INFO if one.passes else severity,
        subject=scene.subject(),
        sentence=one.sentence,
        evidence=(*one.evidence, *until),
        remedies=one.remedies,
        useless=one.useless,
        missing=one.unknown,
        passes=one.passes,
    )
