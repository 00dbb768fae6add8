"""Fewer replicas: which go, what is in flight there, what is left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.evidence import Evidence
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.scaling.in_flight import InFlight, in_flight
from bot.scaling.leaving import Leaving, leaving
from bot.scaling.ration_order import waits_for
from bot.scaling.standing import Standing


@dataclass(frozen=True, slots=True)
class Down:
    """`taken` replicas go; `serving_left` of those that stay are ready. budgets: those that cover its pods, by name.

    waits_for: a pod that has to be ready before the first one goes.
    """

    taken: int
    leaving: Leaving
    flight: InFlight
    budgets: tuple[str, ...]
    serving_left: int
    waits_for: str = ""


def fewer(view: View, now: Standing, taken: int, at: datetime, evidence: Evidence) -> Down:
    gone = leaving(view, now, taken, at, evidence)
    return Down(
        taken,
        gone,
        in_flight([pod for pod in gone.pods if pod.node], evidence),
        tuple(_budgets(view, now.pods)),
        max(0, now.ready - _ready(gone.pods) // now.size),
        waits_for(now, now.wanted - taken),
    )


def _ready(pods: Sequence[Pod]) -> int:
    return sum(1 for pod in pods if pod.phase == "Running" and pod.condition("Ready") is None)


def _budgets(view: View, pods: Sequence[Pod]) -> Iterator[str]:
    for one in view.poddisruptionbudgets.values():
        if any(pod.namespace == one.namespace and one.selector.matches(pod.labels) for pod in pods):
            yield one.name
