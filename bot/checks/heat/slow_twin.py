"""One GPU of a group that works together is slower than its twins under the same load: it slows all of them.

Compared are only GPUs of one pod, all busy, over two readings, and only where no reason for low clocks is told: the
power cap (0x4) makes them differ by itself, and heat and the power brake have checks of their own.
"""

from collections.abc import Iterator
from statistics import median

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity, State
from bot.checks.held import held
from bot.checks.scene import Scene
from bot.checks.slow import state
from bot.domain.gpu_reading import GpuReading

FEWEST = 3  # a middle needs three
_TOLD_ELSEWHERE = 0x4 | 0x20 | 0x40 | 0x80  # power cap, heat, power brake


def _judge(scene: Scene) -> Iterator[Finding]:
    told = [gpu for gpu in scene.gpus if gpu.sm_clock_mhz is not None and gpu.utilization_gpu_percent is not None]
    if not told:
        yield _unknown(scene)
    groups: dict[tuple[str, ...], list[GpuReading]] = {}
    for gpu in told:
        if pods := scene.holders(gpu):
            groups.setdefault((gpu.name, *pods), []).append(gpu)
    for twins in groups.values():
        yield from _slow(scene, twins)


def _slow(scene: Scene, twins: list[GpuReading]) -> Iterator[Finding]:
    busy = [gpu for gpu in twins if _loaded(gpu)]
    if len(busy) < FEWEST:
        return
    usual = median(gpu.sm_clock_mhz or 0 for gpu in busy)

    def slow(gpu: GpuReading) -> bool:
        known = (gpu.clock_event_reasons or 0) & _TOLD_ELSEWHERE
        return _loaded(gpu) and not known and usual - (gpu.sm_clock_mhz or 0) >= limits.CLOCK_DRIFT_MHZ

    for gpu in busy:
        so = held(scene, gpu, slow)
        if so.samples >= limits.HELD_SAMPLES:
            yield fires(
                scene,
                gpu,
                Severity.WARNING,
                f"is slower than its twins under the same load {so.told}{state(gpu)}: they run at {usual:.0f} MHz",
                remedies=(
                    remedies.look(scene, "Look at why", f"-q -d PERFORMANCE,CLOCK,POWER -i {gpu.index}"),
                    *remedies.move(scene),
                ),
            )


def _loaded(gpu: GpuReading) -> bool:
    return (gpu.utilization_gpu_percent or 0) >= limits.LOADED_PERCENT


def _unknown(scene: Scene) -> Finding:
    return Finding(
        state=State.UNKNOWN,
        severity=Severity.INFO,
        subject=scene.subject(),
        sentence=f"{scene.name}: clocks and load of its GPUs not told",
        missing=tuple(scene.why_missing(one) for one in sorted(READINGS)),
    )


CHECK = Check(
    id="heat.slow_twin",
    title="a GPU is slower than its twins",
    severity=Severity.WARNING,
    source="facebookresearch/gcm (clock drift)",
    docs=__doc__ or "",
    reads=READINGS,
    judge=_judge,
)
