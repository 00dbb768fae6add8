"""Error correction is off, or is to change at the next reboot. Without it memory errors go unseen."""

from collections.abc import Iterator

from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading
from bot.gpu.stack.commands import on_host


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if gpu.ecc_enabled and gpu.ecc_pending in (None, True):
        return
    fact = "has error correction of its memory switched off: errors go unseen"
    if gpu.ecc_pending is not None and gpu.ecc_pending != gpu.ecc_enabled:
        fact = f"will have error correction {'on' if gpu.ecc_pending else 'off'} after the next reboot, and not before"
    yield fires(
        scene,
        gpu,
        Severity.INFO,
        fact,
        remedies=(
            Remedy(
                "Switch it on, for after the next reboot",
                on_host(scene.name, f"nvidia-smi -e 1 -i {gpu.index}"),
                cost="a reboot; some memory",
            ),
        ),
    )


CHECK = Check(
    id="memory.ecc_mode",
    title="error correction of GPU memory is off",
    severity=Severity.INFO,
    source="https://docs.nvidia.com/deploy/nvml-api/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(lambda gpu: gpu.ecc_enabled, "whether error correction is on", _judge, calls=("eccMode",)),
)
