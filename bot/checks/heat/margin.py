"""Few degrees are left until a GPU slows itself down, under load and in two readings.

Some H100 always tell a margin of zero or less: without a thermal reason among its clock reasons that means nothing.
"""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.held import has, held
from bot.checks.scene import Scene
from bot.checks.slow import state
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading

_THERMAL = 0x20 | 0x40


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    so = held(scene, gpu, _close)
    margin = gpu.margin_celsius
    if so.samples < limits.HELD_SAMPLES or (margin is not None and margin <= 0 and not has(_THERMAL)(gpu)):
        return
    yield fires(
        scene,
        gpu,
        Severity.WARNING,
        f"has {margin} °C left until it slows itself down for heat, {so.told}{state(gpu)}",
        remedies=(
            remedies.look(scene, "Compare its temperature with its neighbours'", "-q -d TEMPERATURE"),
            Remedy("Have airflow and inlet temperature of that machine looked at"),
        ),
    )


def _close(gpu: GpuReading) -> bool:
    busy = (gpu.utilization_gpu_percent or 0) >= limits.BUSY_PERCENT
    return busy and gpu.margin_celsius is not None and gpu.margin_celsius <= limits.MARGIN_CELSIUS


CHECK = Check(
    id="heat.margin",
    title="a GPU is close to slowing down for heat",
    severity=Severity.WARNING,
    source="leptonai/gpud (5 °C), https://docs.nvidia.com/deploy/nvml-api/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        lambda gpu: gpu.margin_celsius, "the margin to its slowdown temperature", _judge, calls=("marginTemperature",)
    ),
)
