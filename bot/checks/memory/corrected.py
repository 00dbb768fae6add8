"""Corrected memory errors that come fast. A few are normal, and many old ones too: only how fast they come counts."""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.held import per_minute
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    rate = per_minute(scene, gpu, lambda one: one.ecc.volatile_corrected)
    if rate is None or rate * 60 < limits.CORRECTED_PER_HOUR:
        return
    yield fires(
        scene,
        gpu,
        Severity.WARNING,
        f"corrects {rate * 60:,.0f} memory errors an hour (a few are normal): memory that ages",
        evidence=(f"{gpu.ecc.volatile_corrected:,} since the driver was loaded; results are right, they cost time",),
        remedies=(remedies.counters(scene, gpu),),
    )


CHECK = Check(
    id="memory.corrected",
    title="corrected memory errors come fast",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/xid-errors/ (Xid 92); the rate is ours",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(lambda gpu: gpu.ecc.volatile_corrected, "corrected memory errors", _judge, calls=("totalEccErrors",)),
)
