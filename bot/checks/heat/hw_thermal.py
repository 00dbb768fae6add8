"""The hardware slows a GPU down because it is too hot (0x40), in two readings at least: one may be a moment.

A GPU that is slowed down slows every GPU that works with it.
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

HW_THERMAL = 0x40


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    so = held(scene, gpu, has(HW_THERMAL))
    if so.samples < limits.HELD_SAMPLES:
        return
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL,
        f"is slowed down by heat (hardware, 0x40) {so.told}{state(gpu)}",
        remedies=(
            remedies.look(scene, "Compare its temperature with its neighbours'", "-q -d TEMPERATURE,PERFORMANCE"),
            *remedies.move(scene),
            Remedy("Have airflow, inlet temperature, fans and blanks of that machine looked at"),
        ),
    )


CHECK = Check(
    id="heat.hw_thermal",
    title="heat slows a GPU down",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/nvml-api/ (clocks event reasons)",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        lambda gpu: gpu.clock_event_reasons, "why its clocks are low", _judge, calls=("currentClocksEventReasons",)
    ),
)
