"""Packets are sent again on a PCIe link, faster than DCGM allows for it. Old ones do not count."""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.held import per_minute
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading

_USUAL = (5, 16)  # generation and lanes, where a reading does not tell


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    rate = per_minute(scene, gpu, lambda one: one.pcie_replays)
    limit = limits.replays_per_minute(gpu.pcie_generation_max or _USUAL[0], gpu.pcie_width_max or _USUAL[1])
    if rate is None or limit is None or rate <= limit:
        return
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL if rate > limit * limits.REPLAYS_OF_LIMIT else Severity.WARNING,
        f"repeats {rate:,.0f} PCIe packets a minute ({limit} are DCGM's limit for that link)",
        remedies=(
            remedies.look(scene, "Look at the link", f"-q -i {gpu.index} -d PERFORMANCE"),
            *remedies.move(scene),
            remedies.reboot(scene, "where it goes on after it, have the card reseated or its riser replaced"),
        ),
    )


CHECK = Check(
    id="links.pcie_replays",
    title="a PCIe link repeats packets",
    severity=Severity.CRITICAL,
    source="NVIDIA/DCGM:modules/health (replays per minute)",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(lambda gpu: gpu.pcie_replays, "its PCIe replays", _judge, calls=("pcieReplayCounter",)),
)
