"""DefaultPreemption's dry run: on which node would evicting pods of lower priority make room, and which pods.

kubernetes/kubernetes:pkg/scheduler/framework/preemption and plugins/defaultpreemption, release 1.36. Disruption budgets
do not forbid anything here: pods whose budget would be broken are only the last to be chosen.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.workload import PodDisruptionBudget
from bot.scheduling.cycle import Cycle, Rejection
from bot.scheduling.framework import Code, Failure
from bot.scheduling.message import available
from bot.scheduling.state import NodeInfo, State

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = Failure(Code.UNRESOLVABLE, ("No preemption victims found for incoming pod",))
NEVER = "not eligible due to preemptionPolicy=Never."
UNDER_WAY = "not eligible due to a terminating pod on the nominated node."
ENOUGH = 100  # candidates, or a tenth of the nodes: the scheduler looks no further, but begins at a random node
_LAST = "~"  # sorts after every time: a pod that has not started counts as started now


@dataclass(frozen=True, slots=True)
class Preemption:
    """Who would be evicted where. `victims` by falling importance; `violations`: how many break their budget."""

    node: str
    victims: tuple[Pod, ...]
    violations: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Either a `preemption`, or the `text` that ends the scheduler's message. `error`: the text is all of it."""

    preemption: Preemption | None = None
    text: str = ""
    error: bool = False
    statuses: Mapping[str, Failure] | None = None  # per node that was tried in vain


def preempt(cycle: Cycle, first: Mapping[str, Rejection]) -> Outcome:
    """`first` is what turned each node down; empty where the cycle ended before any node was asked."""
    pod, state = cycle.pod, cycle.state
    if why := _ineligible(pod, state, first):
        return Outcome(text=f"preemption: {why}")
    statuses: dict[str, Failure] = {}
    candidates: list[Preemption] = []
    enough = max(ENOUGH, len(state.view.nodes) // 10)
    for node, rejection in first.items():
        if rejection.failure.code is Code.UNSCHEDULABLE:
            info = state.info(node)
            found = victims_on(cycle, info) if info.any_below(pod.priority) else NO_VICTIMS
            if isinstance(found, Preemption):
                candidates.append(found)
                if len(candidates) >= enough and not all(one.violations for one in candidates):
                    break
            else:
                statuses[node] = found
    if candidates:
        return Outcome(pick(candidates))
    if errors := sorted({reason for one in statuses.values() if one.code is Code.ERROR for reason in one.reasons}):
        told = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
        return Outcome(text=f"preemption: {told}", error=True)
    reasons = {NOT_HELPFUL: len(state.view.nodes) - len(statuses)}
    text = available(len(state.view.nodes), (one.reasons for one in statuses.values()), reasons)
    return Outcome(text=f"preemption: {text}", statuses=statuses)


def _ineligible(pod: Pod, state: State, first: Mapping[str, Rejection]) -> str:
    if policy(pod, state) == "Never":
        return NEVER
    nominated = first.get(pod.nominated)
    if nominated is None or nominated.failure.code is Code.UNRESOLVABLE:
        return ""
    lower = (one for one in state.info(pod.nominated).live if one.priority < pod.priority)
    return UNDER_WAY if any(one.deleted and one.preempted for one in lower) else ""


def policy(pod: Pod, state: State) -> str:
    """The pod's own preemption policy; its class's where an object from a file does not say."""
    known = state.view.priorityclasses.get(pod.priority_class)
    return pod.spec.preemption_policy or (known.preemption_policy if known else "PreemptLowerPriority")


def victims_on(cycle: Cycle, info: NodeInfo) -> Preemption | Failure:
    """The fewest and least important pods whose eviction makes room on that node, or why none does.

    All pods of lower priority (there must be one) are taken away; if the pod fits then, as many as possible are put
    back: first those whose budget would be broken, and the more important ones first.
    """
    pod, trial = cycle.pod, cycle.trial(info)
    potential = sorted([one for one in info.live if one.priority < pod.priority], key=_importance)
    for one in potential:
        trial.remove(one)
    if (failing := cycle.first(trial)) is not None:
        return failing.failure
    protected, others = _by_budget(potential, cycle.state.view.poddisruptionbudgets.values())
    victims: list[Pod] = []
    violations = 0
    for one in (*protected, *others):
        trial.add(one)
        if cycle.first(trial) is not None:
            trial.remove(one)
            victims.append(one)
            violations += one in protected
    if not victims:
        return Failure(Code.ERROR, (f'expected at least one victim pod on node "{info.node.name}"',))
    return Preemption(info.node.name, tuple(sorted(victims, key=_importance)), violations)


def _importance(pod: Pod) -> tuple[int, str, str]:
    """Sorts the most important first: higher priority, then longer running; the name makes it the same every time."""
    return -pod.priority, pod.started or _LAST, pod.key


def _by_budget(pods: Iterable[Pod], budgets: Iterable[PodDisruptionBudget]) -> tuple[list[Pod], list[Pod]]:
    """Pods whose eviction would break a budget, and the others; each eviction uses up what it may."""
    left = Counter({budget: budget.allowed for budget in budgets})
    protected: list[Pod] = []
    others: list[Pod] = []
    for pod in pods:
        covering = [budget for budget in left if _covers(budget, pod)]
        left.subtract(covering)
        broken = any(left[budget] < 0 for budget in covering)
        (protected if broken else others).append(pod)
    return protected, others


def _covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """An empty selector covers nothing here, nor does a budget that has counted the pod already."""
    if budget.namespace != pod.namespace or budget.selector.empty or not pod.labels:
        return False
    return budget.selector.matches(pod.labels) and pod.name not in budget.disrupted


def pick(candidates: Iterable[Preemption]) -> Preemption:
    """The one that the scheduler would choose; of equals, which it takes at random, the first by name."""
    return min(candidates, key=_cost)


def _cost(one: Preemption) -> tuple[int, int, int, int, str, str]:
    """Budgets broken, the highest priority, the sum of priorities, how many, and how long they have been running."""
    highest = one.victims[0].priority
    total = sum(pod.priority + 2**31 for pod in one.victims)
    oldest = min(pod.started or _LAST for pod in one.victims if pod.priority == highest)
    return one.violations, highest, total, len(one.victims), _reversed(oldest), one.node


def _reversed(time: str) -> str:
    """Sorts later times first."""
    return "".join(chr(0x10FFFF - ord(letter)) for letter in time)
