"""Places new replicas one after the other on a copy of the cluster, as the scheduler would, and stops at the first that
finds no place: those after it are like it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from bot.domain.pod import Pod
from bot.scaling.booking import book
from bot.scaling.ground import Ground, Landing
from bot.scheduling.evaluate import Verdict
from bot.scheduling.state import State

MOST_PLACED = 2_000
MOST_PREEMPTING = 16


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
            if pod.spec.claims:
                book(state, pod, state.info(found.node).node)
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
