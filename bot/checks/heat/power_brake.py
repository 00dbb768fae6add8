"""The power brake (0x80): the machine's power supply or the rack tells the GPU to slow down, in two readings at least.

Nothing fails, tokens only come slowly. The power cap (0x4) is another thing, and normal at full load.
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

POWER_BRAKE = 0x80


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    so = held(scene, gpu, has(POWER_BRAKE))
    if so.samples < limits.HELD_SAMPLES:
        return
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL,
        f"is held down by the power brake (0x80) {so.told}{state(gpu)}: the power supply side slows it, not its work",
        remedies=(
            *remedies.move(scene),
            Remedy(
                "Give it to whoever looks after the machine: power supplies, cables and the rack's power cap, by the "
                "BMC's log"
            ),
        ),
        useless=("Neither a restart of its pods nor another power limit helps",),
    )


CHECK = Check(
    id="heat.power_brake",
    title="the power supply side slows a GPU down",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/nvml-api/ (clocks event reasons), NVIDIA/NVSentinel#1666",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        lambda gpu: gpu.clock_event_reasons, "why its clocks are low", _judge, calls=("currentClocksEventReasons",)
    ),
)
