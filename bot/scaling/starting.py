"""How long replicas like these took from being made to being ready: from those that run, else it cannot be told."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.evidence import Evidence
from bot.domain.pod import Pod
from bot.domain.time import read_time
from bot.domain.words import duration

LATE_SECONDS = 6 * 3600  # readiness that changed so long after the start says nothing of the start


@dataclass(frozen=True, slots=True)
class Starting:
    """`seconds` is the middle of `pods` that run; None where nothing was seen."""

    seconds: float | None = None
    most: float = 0.0
    pods: int = 0

    @property
    def words(self) -> str:
        if self.seconds is None:
            return ""
        slowest = f", the slowest {duration(self.most)}" if self.most > self.seconds * 1.2 else ""
        who = "the pod that runs" if self.pods == 1 else f"the {self.pods} pods that run"
        return f"{who} took {duration(self.seconds)} from being placed to being ready{slowest}"


def starting(pods: Iterable[Pod], evidence: Evidence) -> Starting:
    """Only pods that never restarted: of others the last readiness is not that of their start."""
    times = [seconds for pod in pods if (seconds := _seconds(pod, evidence)) is not None]
    if not times:
        return Starting()
    return Starting(statistics.median(times), max(times), len(times))


def _seconds(pod: Pod, evidence: Evidence) -> float | None:
    if pod.phase != "Running" or any(one.restarts for one in pod.states) or pod.condition("Ready") is not None:
        return None
    whole = evidence.object("Pod", pod.namespace, pod.name)
    ready = read_time(whole.condition("Ready").text("lastTransitionTime"))
    placed = read_time(whole.condition("PodScheduled").text("lastTransitionTime") or pod.started or pod.created)
    if ready is None or placed is None:
        return None
    took = (ready - placed).total_seconds()
    return took if 0 < took < LATE_SECONDS else None
