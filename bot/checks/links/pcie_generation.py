"""A PCIe link runs at a lower generation than it can while the GPU works. At rest that is how it saves power."""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.held import held
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    so = held(scene, gpu, _slow)
    if so.samples < limits.HELD_SAMPLES:
        return
    yield fires(
        scene,
        gpu,
        Severity.WARNING,
        f"runs its PCIe link at generation {gpu.pcie_generation} of {gpu.pcie_generation_max} under load "
        f"({gpu.utilization_gpu_percent} %), {so.told}",
        remedies=(
            remedies.look(
                scene, "Look at it under load", "--query-gpu=index,pcie.link.gen.current,pcie.link.gen.max --format=csv"
            ),
            remedies.reboot(scene, "at the next drain; have the card reseated where it stays"),
        ),
    )


def _slow(gpu: GpuReading) -> bool:
    busy = (gpu.utilization_gpu_percent or 0) >= limits.BUSY_PERCENT
    return busy and 0 < (gpu.pcie_generation or 0) < (gpu.pcie_generation_max or 0)


def _told(gpu: GpuReading) -> object:
    return gpu.pcie_generation_max if gpu.pcie_generation is not None else None


CHECK = Check(
    id="links.pcie_generation",
    title="a PCIe link is slow under load",
    severity=Severity.WARNING,
    source="NVIDIA/DCGM: DCGM_FR_PCIE_GENERATION",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        _told, "the generation of its PCIe link", _judge, calls=("currPcieLinkGeneration", "maxPcieLinkGeneration")
    ),
)
