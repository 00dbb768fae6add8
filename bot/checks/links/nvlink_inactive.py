"""A product that has NVLinks has some that are not active. L4, L40S and PCIe boards without a bridge have none."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.products import has_links
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import names


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    links = gpu.nvlinks or ()
    down = [place for place, active in enumerate(links) if not active]
    if not down or (not any(links) and not has_links(gpu.name)):  # a board without its bridge
        return
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL,
        f"has {len(down)} of {len(links)} NVLinks that are not active (link {names([str(one) for one in down], 4)})",
        evidence=("pods that use several GPUs together hang in NCCL or are slow there",),
        remedies=(
            remedies.look(scene, "Look at the links and their errors", f"nvlink -s -i {gpu.index}"),
            *remedies.move(scene),
            remedies.reboot(scene, "or reset all GPUs of the board; if it comes back, have the board replaced"),
        ),
    )


def _told(gpu: GpuReading) -> object:
    """A product without links has nothing to tell."""
    return gpu.nvlinks if gpu.nvlinks is not None else None if has_links(gpu.name) else ()


CHECK = Check(
    id="links.nvlink_inactive",
    title="an NVLink is not active",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/health-validation/, NVIDIA/DCGM: DCGM_FR_NVLINK_DOWN",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(_told, "the state of its NVLinks", _judge, calls=("nvLinkState",)),
)
