"""Replicas by phase: who serves, who loads and how far, who waits and who fails."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.document import Table, table
from bot.domain.evidence import Evidence, LogRef
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.time import seconds_since
from bot.domain.words import count, duration
from bot.scaling.served import Served
from bot.serving.reading import read
from bot.why.rolling import well

LOGS_ASKED = 6  # of those that are not ready
SHOWN = 16


@dataclass(frozen=True, slots=True)
class Standing:
    """One pod. phase: one word for counting; told: what it does, in words."""

    pod: Pod
    phase: str
    told: str


def wanted(one: Served) -> tuple[LogRef, ...]:
    """Logs of pods that run and are not ready: how far they are."""
    slow = [pod for pod in one.speakers if pod.phase == "Running" and not well(pod)]
    return tuple(LogRef(pod.namespace, pod.name, one.container.text("name")) for pod in slow[:LOGS_ASKED])


def standings(one: Served, evidence: Evidence) -> list[Standing]:
    """Those that do not serve first."""
    found = [_standing(pod, one, evidence) for pod in one.pods]
    return sorted(found, key=lambda each: each.phase == "ready")


def by_phase(every: Sequence[Standing]) -> str:
    """`2 ready, 1 loading`."""
    counted = sorted(Counter(one.phase for one in every).items(), key=lambda one: one[0] != "ready")
    return ", ".join(f"{number} {phase}" for phase, number in counted)


def listed(every: Sequence[Standing], now: datetime) -> Table:
    rows = [
        (one.pod.name, one.pod.node or "–", one.told, _restarts(one.pod), _age(one.pod, now)) for one in every[:SHOWN]
    ]
    left = len(every) - SHOWN
    return table(("pod", "node", "phase", "restarts", "age"), rows, (3, 4), f"and {left} more" if left > 0 else "")


def missing(one: Served) -> Iterator[str]:
    """Replicas that are asked for and have no pod."""
    lacking = one.wanted - -(-len(one.pods) // one.size)
    if lacking > 0:
        yield f"{count(lacking, 'replica')} asked for and not made"


def _standing(pod: Pod, one: Served, evidence: Evidence) -> Standing:
    if pod.deleted:
        return Standing(pod, "ending", "ends")
    if not pod.node:
        return Standing(pod, "waiting", "waits for a node")
    if well(pod):
        return Standing(pod, "ready", "ready")
    waits = next((state.waiting for state in pod.states if state.waiting), "")
    if waits in ("", "PodInitializing", "ContainerCreating") and pod.phase == "Pending":
        return Standing(pod, "starting", "its volumes and image are brought")
    if waits:
        return Standing(pod, "failing", inert(waits, 60))
    return _loading(pod, one, evidence)


def _loading(pod: Pod, one: Served, evidence: Evidence) -> Standing:
    text = evidence.log(pod.namespace, pod.name, one.container.text("name"))
    progress = read(text).progress if text else None
    if progress is None:
        return Standing(pod, "loading", "runs, not ready")
    if progress.started:
        return Standing(pod, "not ready", f"not ready, though its log says {progress.summary}")
    return Standing(pod, "loading", progress.summary.replace("the weights", "weights"))  # a cell is narrow


def _restarts(pod: Pod) -> int:
    return max((state.restarts for state in pod.states), default=0)


def _age(pod: Pod, now: datetime) -> str:
    age = seconds_since(pod.created, now)
    return "?" if age is None else duration(age)
