"""A PCIe link has fewer lanes than both ends can: seating, riser or retimer.

Unlike its generation it never changes by load.
"""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    width, most = gpu.pcie_width or 0, gpu.pcie_width_max or 0
    if not width or width >= most:
        return
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL if width * 2 <= most else Severity.WARNING,
        f"runs its PCIe link with {width} of {most} lanes: loading weights and host copies are slower",
        remedies=(
            remedies.look(
                scene,
                "Look at it under load",
                "--query-gpu=index,pcie.link.width.current,pcie.link.width.max,pcie.link.gen.current --format=csv",
            ),
            *remedies.move(scene),
            remedies.reboot(scene, "where the lanes are not back after it, have the card reseated or replaced"),
        ),
    )


def _told(gpu: GpuReading) -> object:
    return gpu.pcie_width_max if gpu.pcie_width is not None else None


CHECK = Check(
    id="links.pcie_width",
    title="a PCIe link has too few lanes",
    severity=Severity.CRITICAL,
    source="NVIDIA/DCGM: DCGM_FR_PCIE_WIDTH",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(_told, "the width of its PCIe link", _judge, calls=("currPcieLinkWidth", "maxPcieLinkWidth")),
)
