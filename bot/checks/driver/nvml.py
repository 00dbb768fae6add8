"""NVML does not start on a node for another reason than a driver that is missing or of another version.

A lost GPU (15) or a broken driver (999) can fail all of it. Twice in a row it is critical, once it may be a moment;
where only access is denied (4, 17) the GPUs may be well and nobody can tell.
"""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.text import inert
from bot.gpu.stack import commands

_TOLD_ELSEWHERE = frozenset({9, 12, 18})  # driver.missing, driver.mismatch
_DENIED = frozenset({4, 17})


def _judge(scene: Scene) -> Iterator[Finding]:
    told = scene.agent
    if told is None:
        yield _finding(scene, State.UNKNOWN, Severity.INFO, "nobody has asked NVML there")
    elif told.error is not None and told.error not in _TOLD_ELSEWHERE:
        once = bool(scene.before) and scene.before[-1].error is None
        severity = Severity.WARNING if once or told.error in _DENIED else Severity.CRITICAL
        words = f": {inert(told.trouble)}" if told.trouble else ""
        yield _finding(scene, State.FIRING, severity, f"NVML does not start (error {told.error}){words}")


def _finding(scene: Scene, state: State, severity: Severity, fact: str) -> Finding:
    fires = state is State.FIRING
    return Finding(
        state=state,
        severity=severity,
        subject=scene.subject(),
        sentence=f"{scene.name}: {fact}",
        remedies=(commands.look(scene.sight), *remedies.move(scene), remedies.reboot(scene)) if fires else (),
        missing=() if fires else (scene.why_missing(Reads.AGENT),),
    )


CHECK = Check(
    id="driver.nvml",
    title="NVML does not start",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/nvml-api/ (nvmlReturn_t)",
    docs=__doc__ or "",
    reads=frozenset({Reads.AGENT, Reads.API}),
    judge=_judge,
)
