"""Software slows a GPU down because it is warm (0x20), for minutes.

For seconds that is how a GPU keeps its temperature.
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

SW_THERMAL = 0x20


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    so = held(scene, gpu, has(SW_THERMAL))
    if so.samples < limits.HELD_SAMPLES or so.seconds < limits.SOFT_HEAT_SECONDS:
        return
    yield fires(
        scene,
        gpu,
        Severity.WARNING,
        f"is slowed down by its driver to stay cool (0x20) {so.told}{state(gpu)}",
        remedies=(
            remedies.look(scene, "Compare its temperature with its neighbours'", "-q -d TEMPERATURE,PERFORMANCE"),
            Remedy("Have airflow and inlet temperature of that machine looked at"),
        ),
    )


CHECK = Check(
    id="heat.sw_thermal",
    title="a warm GPU has been slowed down for minutes",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/nvml-api/ (clocks event reasons)",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        lambda gpu: gpu.clock_event_reasons, "why its clocks are low", _judge, calls=("currentClocksEventReasons",)
    ),
)
