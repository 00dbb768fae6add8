"""The driver says that the GPU's memory cannot be repaired any more: it is replaced."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if gpu.unrepairable_memory:
        yield fires(
            scene,
            gpu,
            Severity.CRITICAL,
            "has memory that cannot be repaired (the driver's flag is set), and has to be replaced",
            remedies=(remedies.evidence(scene), *remedies.move(scene), remedies.replace(scene, gpu)),
        )


CHECK = Check(
    id="memory.unrepairable",
    title="GPU memory cannot be repaired",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        lambda gpu: gpu.unrepairable_memory,
        "the flag for unrepairable memory",
        _judge,
        calls=("unrepairableMemoryFlag",),
    ),
)
