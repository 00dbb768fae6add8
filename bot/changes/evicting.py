"""Who leaves a node that is drained, in which order, and which evictions a disruption budget would refuse now.

The eviction API asks the budget of each pod: kubernetes/kubernetes:pkg/registry/core/pod/rest/eviction.go. A pod under
two budgets can never be evicted by it; one that is Pending needs none. What kubectl drain leaves out is left out here:
pods of DaemonSets, mirror pods of the kubelet, and pods that have ended.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.changes.pods import pod_target
from bot.domain.change import Step, Verb
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.view import View
from bot.domain.workload import PodDisruptionBudget


@dataclass(frozen=True, slots=True)
class Leavers:
    """The pods of one node. `leaving` are on their way out already: they are waited for, not evicted."""

    evicted: tuple[Pod, ...]
    stay: tuple[Pod, ...]  # of DaemonSets, mirror pods
    leaving: tuple[Pod, ...]

    @property
    def bare(self) -> tuple[Pod, ...]:
        """Without a controller: nobody makes them again."""
        return tuple(pod for pod in self.evicted if pod.owner is None)


@dataclass(frozen=True, slots=True)
class Blocked:
    """A pod whose eviction would be refused now. `never`: not by waiting either."""

    pod: Pod
    budgets: tuple[str, ...]
    never: bool = False


def leavers(view: View, node: str) -> Leavers:
    """In the order of eviction: low priority first, so that what matters most runs longest."""
    live = sorted(
        (pod for pod in view.on_node(node) if not pod.finished), key=lambda pod: (pod.priority, natural(pod.key))
    )
    stay = tuple(pod for pod in live if pod.owner is not None and pod.owner.kind in ("DaemonSet", "Node"))
    rest = [pod for pod in live if pod not in stay]
    return Leavers(
        tuple(pod for pod in rest if not pod.deleted), stay, leaving=tuple(pod for pod in rest if pod.deleted)
    )


def blocked(view: View, pods: tuple[Pod, ...]) -> tuple[Blocked, ...]:
    """Asked in order, so that the third pod of a budget that allows two is refused."""
    return tuple(_blocked(view, pods))


def _blocked(view: View, pods: tuple[Pod, ...]) -> Iterator[Blocked]:
    spaces = {pod.namespace for pod in pods}
    budgets = [one for one in view.poddisruptionbudgets.values() if one.namespace in spaces]
    left = {_key(one): one.allowed for one in budgets}
    spent = {one.namespace for one in budgets if one.allowed <= 0}
    alive = [pod for pod in view.pods.values() if pod.namespace in spent and not pod.finished] if spent else []
    for pod in pods:
        mine = [one for one in budgets if one.namespace == pod.namespace and one.selector.matches(pod.labels)]
        if not mine or pod.phase == "Pending":
            continue
        keys = tuple(_key(one) for one in mine)
        if len(mine) > 1:
            yield Blocked(pod, keys, never=True)
        elif left[keys[0]] <= 0:
            yield Blocked(pod, keys, never=_never(mine[0], alive))
        else:
            left[keys[0]] -= 1


def _never(budget: PodDisruptionBudget, alive: list[Pod]) -> bool:
    """Whether the budget allows nothing although every pod of it is Ready: then waiting does not help."""
    if budget.allowed > 0:
        return False
    pods = (pod for pod in alive if pod.namespace == budget.namespace)
    mine = (pod for pod in pods if budget.selector.matches(pod.labels))
    return all(pod.node and pod.condition("Ready") is None and not pod.deleted for pod in mine)


def _key(budget: PodDisruptionBudget) -> str:
    return f"{budget.namespace}/{budget.name}"


def eviction(pod: Pod) -> Step:
    """By the eviction API, for exactly this pod. kubectl has no word for one eviction, only for a whole drain."""
    return Step(
        verb=Verb.EVICT,
        target=pod_target(pod),
        before={"spec.nodeName": pod.node},
        after={"spec.nodeName": None},
        says=f"evict {pod.key}",
    )
