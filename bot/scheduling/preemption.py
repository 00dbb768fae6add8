"""DefaultPreemption's dry run: on which node would evicting pods of lower priority make room, and which pods.

kubernetes/kubernetes:pkg/scheduler/framework/preemption and plugins/defaultpreemption, release 1.36. Disruption budgets
do not forbid anything here: pods whose budget would be broken are only the last to be chosen.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.workload import PodDisruptionBudget
from bot.scheduling.cycle import Cycle, Rejection
from bot.scheduling.framework import Code, Failure
from bot.scheduling.message import available
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.trial import Trial

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


def preempt(cycle: Cycle, first: Mapping[str, Rejection], failing: Mapping[str, Collection[Rejection]]) -> Outcome:
    """`first` is what turned each node down; empty where the cycle ended before any node was asked.

    `failing` are all filters that fail there.
    """
    pod, state = cycle.pod, cycle.state
    if why := _ineligible(pod, state, first):
        return Outcome(text=f"preemption: {why}")
    statuses: dict[str, Failure] = {}
    found: Preemption | Failure
    candidates: list[Preemption] = []
    enough = max(ENOUGH, len(state.nodes) // 10)
    budgets = Budgets(state.view.poddisruptionbudgets.values())
    tried = [node for node, rejection in first.items() if rejection.failure.code is Code.UNSCHEDULABLE]
    if _least_important(state, pod.priority):
        statuses, tried = dict.fromkeys(tried, NO_VICTIMS), []
    for node in tried:
        info = state.info(node)
        found = NO_VICTIMS
        if info.any_below(pod.priority):
            found = victims_on(cycle, info, failing[node], budgets)
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
    reasons = {NOT_HELPFUL: len(state.nodes) - len(statuses)}
    text = available(len(state.nodes), (one.reasons for one in statuses.values()), reasons)
    return Outcome(text=f"preemption: {text}", statuses=statuses)


def _least_important(state: State, priority: int) -> bool:
    """Whether nobody in the whole cluster is of lower priority."""
    if state.changed:
        return False
    known = state.view.priorities.values()
    lowest = state.snapshot.once(__name__, lambda: min(map(min, filter(None, known)), default=priority))
    return lowest >= priority


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


def victims_on(
    cycle: Cycle, info: NodeInfo, failing: Collection[Rejection], budgets: "Budgets"
) -> Preemption | Failure:
    """The fewest and least important pods whose eviction makes room on that node, or why none does.

    All pods of lower priority (there must be one) are taken away; if the pod fits then, as many as possible are put
    back: first those whose budget would be broken, and the more important ones first.
    """
    priority, stay, gone = cycle.pod.priority, list[Pod](), list[Pod]()
    for one in info.live:
        (gone if one.priority < priority else stay).append(one)
    trial = Trial(cycle, info, stay, gone, failing)
    if (still := trial.first()) is not None:
        return still.failure
    gone.sort(key=_importance)
    protected, others = budgets.split(gone)
    victims = {one for one in (*protected, *others) if not trial.takes_back(one)}
    if not victims:
        return Failure(Code.ERROR, (f'expected at least one victim pod on node "{info.node.name}"',))
    violations = sum([one in victims for one in protected])
    return Preemption(info.node.name, tuple([one for one in gone if one in victims]), violations)


def _importance(pod: Pod) -> tuple[int, str, str]:
    """Sorts the most important first: higher priority, then longer running; the name makes it the same every time."""
    return -pod.priority, pod.started or _LAST, f"{pod.namespace}/{pod.name}"


class Budgets:
    """Disruption budgets, by namespace."""

    def __init__(self, budgets: Iterable[PodDisruptionBudget]) -> None:
        self._of: dict[str, list[PodDisruptionBudget]] = {}
        for budget in budgets:
            self._of.setdefault(budget.namespace, []).append(budget)

    def split(self, pods: list[Pod]) -> tuple[list[Pod], list[Pod]]:
        """Pods whose eviction would break a budget, and the others; each eviction uses up what it may."""
        if not self._of:
            return [], pods
        used: Counter[PodDisruptionBudget] = Counter()
        protected: list[Pod] = []
        others: list[Pod] = []
        for pod in pods:
            covering = [budget for budget in self._of.get(pod.namespace, ()) if _covers(budget, pod)]
            if covering:
                used.update(covering)
            broken = any(used[budget] > budget.allowed for budget in covering)
            (protected if broken else others).append(pod)
        return protected, others


def _covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """An empty selector covers nothing here, nor does a budget that has counted the pod already."""
    if budget.selector.empty or not pod.labels:
        return False
    return budget.selector.matches(pod.labels) and pod.name not in budget.disrupted


def pick(candidates: Iterable[Preemption]) -> Preemption:
    """The one that the scheduler would choose; of equals, which it takes at random, the first by name."""
    costs = [(_cost(one), one) for one in candidates]
    least = min(cost for cost, _ in costs)
    equals = [(_oldest(one), one) for cost, one in costs if cost == least]
    latest = max(oldest for oldest, _ in equals)
    return min((one for oldest, one in equals if oldest == latest), key=lambda one: one.node)


def _cost(one: Preemption) -> tuple[int, int, int, int]:
    """Budgets broken, the highest priority, the sum of priorities, and how many."""
    total = sum([pod.priority + 2**31 for pod in one.victims])
    return one.violations, one.victims[0].priority, total, len(one.victims)


def _oldest(one: Preemption) -> str:
    """Since when the first of the most important victims has been running."""
    highest = one.victims[0].priority
    return min(pod.started or _LAST for pod in one.victims if pod.priority == highest)
