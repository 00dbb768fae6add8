"""The DCGM exporter runs and its measurements are old, or were not read. A lost GPU vanishes, it is not zero."""

from collections.abc import Iterator

from bot.checks import limits
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.words import duration
from bot.gpu.stack.pods import stuck


def _judge(scene: Scene) -> Iterator[Finding]:
    age = scene.dcgm.reading.age_seconds(scene.now) if scene.dcgm is not None else None
    if scene.dcgm is None:
        yield _finding(scene, State.UNKNOWN, "DCGM tells nothing of its GPUs")
    elif age is not None and age > limits.EXPORTER_OLD_SECONDS and not any(map(stuck, scene.exporters)):
        yield _finding(
            scene, State.FIRING, f"its DCGM exporter runs, and its newest measurement is {duration(age)} old"
        )


def _finding(scene: Scene, state: State, fact: str) -> Finding:
    return Finding(
        state=state,
        severity=Severity.WARNING if state is State.FIRING and not scene.young else Severity.INFO,
        subject=scene.subject(),
        sentence=f"{scene.name}: {fact}",
        missing=(scene.why_missing(Reads.DCGM),) if state is State.UNKNOWN else (),
    )


CHECK = Check(
    id="plugin.exporter_silent",
    title="DCGM is silent about its GPUs",
    severity=Severity.WARNING,
    source="NVIDIA/dcgm-exporter: blank values are left out, a hung driver holds up every series",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
