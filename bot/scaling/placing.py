"""Places new replicas one after the other on a copy of the cluster, as the scheduler would, and stops at the first that
finds no place: those after it are like it.

All filters look at all nodes once. After that only the node that has just got a pod is looked at again, unless a filter
counts pods beyond their node (spreading, affinity) or the pods differ by their volumes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.scaling.making_room import Room
from bot.scaling.scores import Scores, looked_at
from bot.scheduling.cycle import Cycle, Rejection, begin, kept_out
from bot.scheduling.evaluate import Verdict, evaluate
from bot.scheduling.node_info import NodeInfo
from bot.scheduling.preemption import Preemption
from bot.scheduling.state import State

FAR = frozenset(
    {
        "PodTopologySpread",
        "InterPodAffinity",
        "DynamicResources",
        "VolumeBinding",
        "VolumeZone",
        "NodeVolumeLimits",
        "VolumeRestrictions",
    }
)
MOST_PLACED = 2_000
MOST_PREEMPTING = 16


@dataclass(frozen=True, slots=True)
class Landing:
    """One pod's node. `alike`: how many nodes are as good, of which the scheduler takes one at random. `evicts`: pods
    of lower priority that the scheduler would end for it.
    """

    pod: str
    node: str
    alike: int = 1
    evicts: tuple[Pod, ...] = ()
    violations: int = 0


@dataclass(frozen=True, slots=True)
class Placing:
    """`landed` has the landings of each replica that starts. `stuck`: why the next one would wait; None where
    all start.

    partly: pods of the replica that waits which find a place all the same. state: the cluster as it would be then, with
    these.
    chosen_from: how many of the nodes that would do the scheduler looks at, 0 where it looks at all.
    untried: replicas that were not tried, because those before them were very many.
    """

    landed: tuple[tuple[Landing, ...], ...]
    state: State
    stuck: Verdict | None = None
    partly: int = 0
    chosen_from: int = 0
    untried: int = 0

    @property
    def nodes(self) -> tuple[str, ...]:
        """In the order in which they get a pod."""
        return tuple(one.node for replica in self.landed for one in replica)

    @property
    def evicted(self) -> tuple[Pod, ...]:
        return tuple(pod for replica in self.landed for one in replica for pod in one.evicts)


def place(replicas: Iterable[tuple[Pod, ...]], state: State, others: Iterable[Pod]) -> Placing:
    """`replicas`: the pods of each, which have no node. `others`: pods of the same maker that are placed."""
    grounds: dict[tuple[int, int], Ground] = {}  # pods of one template share what they ask for
    known = tuple(others)
    landed: list[tuple[Landing, ...]] = []
    for number, pods in enumerate(replicas):
        if number >= MOST_PLACED:
            return Placing(tuple(landed), state, untried=1, chosen_from=_chosen_from(grounds))
        here = list[Landing]()
        for pod in pods:
            alike = (id(pod.spec), id(pod.requests))
            ground = grounds.get(alike)
            if ground is None:
                ground = grounds[alike] = Ground(pod, state, known)
            found = ground.take(pod, state, may_evict=_evictions(landed, here) < MOST_PREEMPTING)
            if isinstance(found, Verdict):
                return Placing(tuple(landed), state, found, len(here), _chosen_from(grounds))
            here.append(found)
            gone = state.without_pods(found.evicts) if found.evicts else state
            state = gone.with_pod(_bound(pod), found.node)
            for each in grounds.values():
                each.changed(found.node, found.evicts)
        landed.append(tuple(here))
    return Placing(tuple(landed), state, chosen_from=_chosen_from(grounds))


def _evictions(landed: list[tuple[Landing, ...]], here: list[Landing]) -> int:
    return sum(1 for replica in (*landed, here) for one in replica if one.evicts)


def _chosen_from(grounds: Mapping[tuple[int, int], "Ground"]) -> int:
    return max((one.chosen_from for one in grounds.values()), default=0)


def _bound(pod: Pod) -> Pod:
    return msgspec.structs.replace(pod, phase="Running")


@dataclass
class Ground:
    """All nodes for the pods of one template: what turns each down, kept up to date as pods come."""

    pod: Pod
    state: State
    others: tuple[Pod, ...]
    chosen_from: int = 0
    _stale: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        cycle = begin(self.pod, self.state)
        failing, first = cycle.everywhere()
        self.failing: dict[str, tuple[Rejection, ...]] = dict(failing)
        self.first: dict[str, Rejection] = dict(first)
        self.scores = Scores(self.pod, self.others)
        self.room = Room()
        self.near = {name for name, found in failing.items() if all(one.plugin in FAR for one in found)}

    def changed(self, node: str, evicted: Iterable[Pod]) -> None:
        """A pod came to that node, perhaps in place of others."""
        names = (node, *(pod.node for pod in evicted))
        self._stale.update(names)
        self.room.changed(names)
        self.scores.took(node)

    def take(self, pod: Pod, state: State, *, may_evict: bool) -> Landing | Verdict:
        """The node that it would get, or why none takes it."""
        if pod.gated or kept_out(pod, state) is not None:
            return evaluate(pod, state)
        cycle = begin(pod, state)
        self._refresh(cycle)
        fits = [] if cycle.ended else self._fits(cycle)
        if fits:
            best = self.scores.best(fits)
            few = looked_at(len(state.nodes))
            self.chosen_from = few if few < len(fits) else self.chosen_from
            return Landing(pod.name, min(best, key=natural), len(best))
        if cycle.ended is not None or self._looks_far(cycle):
            verdict = evaluate(pod, state)
        else:
            made = self.room.made(cycle, self.first, self.failing)
            verdict = Verdict(pod, gated=False, nodes=self.failing, first=self.first, preemption=made)
        preemption: Preemption | None = verdict.preemption
        if preemption is None or not may_evict:
            return verdict
        return Landing(pod.name, preemption.node, 1, preemption.victims, preemption.violations)

    def _refresh(self, cycle: Cycle) -> None:
        for name in self._stale:
            info = cycle.state.info(name)
            found, told = cycle.failures(info)
            self.failing[name] = found
            self.first.pop(name, None)
            if told is not None:
                self.first[name] = told
            near = all(one.plugin in FAR for one in found)
            (self.near.add if near else self.near.discard)(name)
        self._stale.clear()

    def _fits(self, cycle: Cycle) -> list[NodeInfo]:
        state, only = cycle.state, cycle.nodes
        names = [name for name in state.names if name in self.near and (only is None or name in only)]
        infos = [state.info(name) for name in names]
        far = tuple((one, data) for one, data in cycle.active if one.name in FAR)
        if not far:
            return infos
        return [info for info in infos if cycle.first_of(far, info, cycle.nominees(info)) is None]

    def _looks_far(self, cycle: Cycle) -> bool:
        return cycle.nodes is not None or any(one.name in FAR for one, _ in cycle.active)
