"""Would evicting pods of lower priority make room?

Source: kubernetes/kubernetes:pkg/scheduler/framework/preemption/ and plugins/defaultpreemption/. Disruption budgets
are not weighed here: the real scheduler prefers nodes where fewer are broken, but breaks them if it must.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.local.cluster.controllers.scheduler.filters import Rejection, reject
from bot.local.cluster.controllers.scheduler.message import histogram
from bot.local.cluster.controllers.scheduler.node import NodeView
from bot.local.cluster.controllers.scheduler.pod import PodKey, PodView

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."


@dataclass(frozen=True, slots=True)
class Preemption:
    node: str
    victims: tuple[PodView, ...]


def preempt(pod: PodView, nodes: Mapping[str, NodeView], rejections: Mapping[str, Rejection]) -> Preemption | str:
    """Whom to evict and where, or the text that says why no eviction helps."""
    if not pod.preempts:
        return NEVER
    if _under_way(pod, nodes):
        return TERMINATING
    found: list[Preemption] = []
    reasons: list[str] = []
    for name, rejection in rejections.items():
        answer = _dry_run(pod, nodes[name]) if rejection.helped_by_eviction else (NOT_HELPFUL,)
        if isinstance(answer, Preemption):
            found.append(answer)
        else:
            reasons += answer
    return min(found, key=_cost) if found else histogram(len(rejections), reasons)


def _under_way(pod: PodView, nodes: Mapping[str, NodeView]) -> bool:
    node = nodes.get(pod.nominated_node)
    return node is not None and any(p.terminating and p.priority < pod.priority for p in node.pods.values())


def _dry_run(pod: PodView, node: NodeView) -> Preemption | Iterable[str]:
    lower = sorted((p for p in node.pods.values() if p.priority < pod.priority), key=_importance)
    if not lower:
        return (NO_VICTIMS,)
    trial = node.without(p.key for p in lower)
    if rejection := reject(pod, trial):
        return rejection.reasons
    victims = []
    for candidate in lower:  # the most important first: each one that fits may stay
        trial.add(candidate)
        if reject(pod, trial):
            trial.remove(candidate.key)
            victims.append(candidate)
    return Preemption(node.name, tuple(victims))


def _importance(pod: PodView) -> tuple[int, str, PodKey]:
    return (-pod.priority, pod.created, pod.key)


def _cost(found: Preemption) -> tuple[int, int, int, str]:
    """The node whose loss is smallest: lowest top priority, then sum, then number of victims."""
    priorities = [victim.priority for victim in found.victims]
    offset = 2**31  # as upstream: so that a sum of negative numbers still grows with their number
    return (max(priorities, default=-offset), sum(p + offset for p in priorities), len(priorities), found.node)
