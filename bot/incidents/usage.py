"""How well GPUs are used, sampled with every sweep and summed by the hour: for digests, and never for alerts.

Only what node agents tell counts; a GPU that nobody reads is neither busy nor idle. Idle is a GPU that a pod holds and
that did less than five per cent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.domain.gpu_reading import GpuReading, NodeReading
from bot.domain.view import View
from bot.gpu.owners import top_owner

IDLE_PERCENT = 5
KEPT = timedelta(days=8)


@dataclass(slots=True)
class Hour:
    """Sums of one hour: GPU seconds that were seen, the busy part of them, and idle ones by owner."""

    seen: float = 0.0
    busy: float = 0.0
    idle: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Use:
    """Of some time: the mean utilisation (0 to 1; None: nobody told), idle GPU hours by owner, the largest first."""

    mean: float | None
    idle_hours: tuple[tuple[str, float], ...] = ()
    since: datetime | None = None


class Usage:
    """Hours of one cluster. It lives in memory: after a restart it says since when it knows."""

    def __init__(self) -> None:
        self.hours: dict[datetime, Hour] = {}
        self._last: datetime | None = None

    def add(self, readings: Iterable[NodeReading], view: View, now: datetime) -> None:
        """One look. It stands for the time since the one before, two minutes at most."""
        seconds = min((now - self._last).total_seconds(), 120.0) if self._last else 0.0
        self._last = now
        hour = self.hours.setdefault(now.replace(minute=0, second=0, microsecond=0), Hour())
        for gpu in (gpu for reading in readings for gpu in reading.gpus):
            if gpu.utilization_gpu_percent is not None:
                _sum(hour, gpu, gpu.utilization_gpu_percent, view, seconds)
        for old in [one for one in self.hours if one < now - KEPT]:
            del self.hours[old]

    def of(self, since: datetime) -> Use:
        hours = {at: one for at, one in self.hours.items() if at >= since and one.seen}
        seen = sum(one.seen for one in hours.values())
        idle: dict[str, float] = {}
        for one in hours.values():
            for owner, seconds in one.idle.items():
                idle[owner] = idle.get(owner, 0.0) + seconds / 3600
        ordered = tuple(sorted(idle.items(), key=lambda one: (-one[1], one[0])))
        mean = sum(one.busy for one in hours.values()) / seen if seen else None
        return Use(mean, ordered, min(hours, default=None))


def _sum(hour: Hour, gpu: GpuReading, percent: int, view: View, seconds: float) -> None:
    hour.seen += seconds
    hour.busy += seconds * percent / 100
    if percent >= IDLE_PERCENT:
        return
    for owner in _owners(gpu.pods or (), view.pods, view):
        hour.idle[owner] = hour.idle.get(owner, 0.0) + seconds


def _owners(keys: Sequence[str], pods: Mapping[str, object], view: View) -> set[str]:
    found = (view.pods[key] for key in keys if key in pods)
    return {f"{pod.namespace}/{top_owner(view, pod)[1]}" for pod in found}
