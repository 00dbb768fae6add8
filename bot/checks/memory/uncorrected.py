"""Memory errors that could not be corrected since the driver was loaded.

The counter is lost by a reset, so it is looked at first. What the GPU did about older ones stands in its remapped rows.
"""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import count


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    number = gpu.ecc.volatile_uncorrected or 0
    if number <= 0:
        return
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL,
        f"had {count(number, 'memory error')} that could not be corrected since its driver was loaded",
        evidence=(f"over its life: {gpu.ecc.aggregate_uncorrected}",)
        if gpu.ecc.aggregate_uncorrected is not None
        else (),
        remedies=(
            remedies.counters(scene, gpu),
            *remedies.move(scene),
            remedies.reset(scene, gpu),
            *remedies.restart_plugin(scene),
        ),
    )


CHECK = Check(
    id="memory.uncorrected",
    title="memory errors could not be corrected",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        lambda gpu: gpu.ecc.volatile_uncorrected, "uncorrected memory errors", _judge, calls=("totalEccErrors",)
    ),
)
