"""Rows that spare ones stand in for. A few are a card that repaired itself; the spare ones are limited."""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import count


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    rows = gpu.remapped_rows.uncorrected or 0
    if rows <= 0 or gpu.remapped_rows.failed:
        return
    many = rows >= limits.REMAPPED_MANY
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL if rows >= limits.REMAPPED_MOST else Severity.WARNING if many else Severity.INFO,
        f"repaired {count(rows, 'row')} of its memory with spare ones after uncorrectable errors"
        + (f" (of {limits.REMAPPED_MOST} that it can): it is wearing out" if many else ": noted, no action is needed"),
        remedies=(remedies.counters(scene, gpu), *((remedies.replace(scene, gpu),) if many else ())),
    )


CHECK = Check(
    id="memory.remapped_rows",
    title="a GPU has used up spare memory rows",
    severity=Severity.CRITICAL,
    source="NVIDIA/DCGM:modules/health (512 rows); 64 is ours",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(lambda gpu: gpu.remapped_rows.uncorrected, "remapped rows", _judge, calls=("remappedRows",)),
)
