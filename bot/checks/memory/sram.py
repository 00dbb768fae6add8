"""Errors in the GPU's own SRAM passed the driver's threshold: it is replaced after NVIDIA's field diagnostic."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if gpu.sram_threshold_exceeded:
        yield fires(
            scene,
            gpu,
            Severity.CRITICAL,
            "passed the threshold for errors in its SRAM: field diagnostic, then replace it",
            remedies=(remedies.counters(scene, gpu), *remedies.move(scene), remedies.replace(scene, gpu)),
        )


CHECK = Check(
    id="memory.sram",
    title="errors in GPU SRAM passed the threshold",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(lambda gpu: gpu.sram_threshold_exceeded, "the SRAM threshold", _judge, calls=("sramEccErrorStatus",)),
)
