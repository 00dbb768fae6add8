"""All nodes for the pods of one template: what turns each down, and which of the others the scheduler prefers.

All filters look at all nodes once. After that only the node that has just got a pod is looked at again, unless a filter
counts pods beyond their node (spreading, affinity) or the pods differ by their volumes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.view import View
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
DEVICES = "DynamicResources"


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


@dataclass
class Ground:
    """All nodes for the pods of one template: what turns each down, kept up to date as pods come."""

    pod: Pod
    state: State
    others: tuple[Pod, ...]
    chosen_from: int = 0
    _stale: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.far = FAR if _devices_afar(self.pod, self.state.view) else FAR - {DEVICES}
        cycle = begin(self.pod, self.state)
        failing, first = cycle.everywhere()
        self.failing: dict[str, tuple[Rejection, ...]] = dict(failing)
        self.first: dict[str, Rejection] = dict(first)
        self.scores = Scores(self.pod, self.others)
        self.room = Room()
        self.near = {name for name, found in failing.items() if all(one.plugin in self.far for one in found)}

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
            near = all(one.plugin in self.far for one in found)
            (self.near.add if near else self.near.discard)(name)
        self._stale.clear()

    def _fits(self, cycle: Cycle) -> list[NodeInfo]:
        state, only = cycle.state, cycle.nodes
        names = [name for name in state.names if name in self.near and (only is None or name in only)]
        infos = [state.info(name) for name in names]
        far = tuple((one, data) for one, data in cycle.active if one.name in self.far)
        if not far:
            return infos
        return [info for info in infos if cycle.first_of(far, info, cycle.nominees(info)) is None]

    def _looks_far(self, cycle: Cycle) -> bool:
        return cycle.nodes is not None or any(one.name in self.far for one, _ in cycle.active)


def _devices_afar(pod: Pod, view: View) -> bool:
    """Whether what one pod's claims get can matter on other nodes: shared claims, devices that many nodes reach."""
    if any(one.claim for one in pod.spec.claims):
        return True
    return any(not one.node or one.counters for one in view.resourceslices.values())
