"""A GPU is to switch MIG on or off at its next reset: until then it is not what its labels say."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.products import has_mig
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if gpu.mig_pending in (None, gpu.mig_enabled):
        return
    yield fires(
        scene,
        gpu,
        Severity.WARNING,
        f"has MIG {'on' if gpu.mig_enabled else 'off'} and will have it {'on' if gpu.mig_pending else 'off'} after its "
        "next reset, not before",
        remedies=(remedies.reset(scene, gpu), *remedies.restart_plugin(scene)),
    )


def _told(gpu: GpuReading) -> object:
    """Products without MIG have no mode."""
    return gpu.mig_enabled if gpu.mig_enabled is not None else None if has_mig(gpu.name) else False


CHECK = Check(
    id="mig.pending",
    title="a change of MIG mode waits for a reset",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/nvml-api/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(_told, "its MIG mode", _judge, calls=("migMode",)),
)
