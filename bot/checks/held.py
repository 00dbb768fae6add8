"""Whether something was so over several readings: one alone may have been a moment."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.checks.scene import Sample, Scene
from bot.domain.gpu_reading import GpuReading

Value = Callable[[GpuReading], int | None]


@dataclass(frozen=True, slots=True)
class Held:
    """In how many of the newest readings without a break; `seconds` between the first and the last of them."""

    samples: int
    of: int
    seconds: float

    @property
    def told(self) -> str:
        """`in 3 of 3 samples over 60 s`."""
        over = f" over {self.seconds:.0f} s" if self.seconds else ""
        return f"in {self.samples} of {self.of} samples{over}"


def held(scene: Scene, gpu: GpuReading, so: Callable[[GpuReading], bool]) -> Held:
    """Counted back from the newest reading."""
    samples = scene.samples(gpu)
    run: list[Sample] = []
    for one in reversed(samples):
        if not so(one.gpu):
            break
        run.append(one)
    return Held(len(run), len(samples), _seconds(run))


def has(bits: int) -> Callable[[GpuReading], bool]:
    """Whether one of the bits is among the reasons for low clocks."""
    return lambda gpu: bool((gpu.clock_event_reasons or 0) & bits)


def per_minute(scene: Scene, gpu: GpuReading, value: Value) -> float | None:
    """How fast a counter grows between the first and the last reading that tell it; None where that is not known.

    A counter that fell was set back by a reset or a new driver: what came after counts.
    """
    points = [(one.at, count) for one in scene.samples(gpu) if (count := value(one.gpu)) is not None]
    timed = [(at, count) for at, count in points if at is not None]
    for place in range(len(timed) - 1, 0, -1):
        if timed[place][1] < timed[place - 1][1]:
            timed = timed[place:]
            break
    if len(timed) < 2:
        return None
    minutes = (timed[-1][0] - timed[0][0]).total_seconds() / 60
    return (timed[-1][1] - timed[0][1]) / minutes if minutes > 0 else None


def _seconds(run: Iterable[Sample]) -> float:
    times = [one.at for one in run if one.at is not None]
    return (max(times) - min(times)).total_seconds() if times else 0.0
