"""Which of the nodes that would do the scheduler prefers, by the default profile, as far as it can be told from here.

kubernetes/kubernetes:pkg/scheduler/framework/plugins, release 1.36, with the default weights
(pkg/scheduler/apis/config/v1/default_plugins.go):

    NodeResourcesFit, LeastAllocated   1   how much CPU and memory would be left; GPUs do not count by default
    NodeResourcesBalancedAllocation    1   how alike the used parts of CPU and memory would be
    TaintToleration                    3   PreferNoSchedule taints that the pod does not tolerate
    PodTopologySpread                  2   the pod's own wishes, else the system's: few of its kind on a host and zone

Left out, since nobody keeps what they read: images that are on nodes (ImageLocality), preferred node and pod affinity.
A profile that packs nodes (MostAllocated) would choose the other way round; it does not show in the API.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bot.domain.pod import Pod
from bot.domain.pod_spec import SpreadConstraint
from bot.domain.selectors import EVERYTHING
from bot.scheduling.node_info import NodeInfo
from bot.scheduling.tolerance import tolerated

LEAST_CPU, LEAST_MEMORY = 100, 200 * 2**20  # what counts for a container that asks for nothing (util/pod_resources.go)
ALL_SCORED_BELOW = 100  # nodes; in larger clusters only a part is looked at
BEST = 100
TAINTS_WEIGHT, SPREAD_WEIGHT = 3, 2
SYSTEM_SPREAD = (
    SpreadConstraint("kubernetes.io/hostname", max_skew=3, hard=False, selector=EVERYTHING),
    SpreadConstraint("topology.kubernetes.io/zone", max_skew=5, hard=False, selector=EVERYTHING),
)


class Scores:
    """Of one template's pods. What is found about a node is kept until a pod comes to it."""

    def __init__(self, pod: Pod, others: Iterable[Pod]) -> None:
        """`others`: pods of the same maker that are placed already: those that spreading counts."""
        counted = max(1, sum(1 for one in pod.containers if not one.init or one.sidecar))
        self._cpu = pod.requests.get("cpu", 0) or LEAST_CPU * counted
        self._memory = pod.requests.get("memory", 0) or LEAST_MEMORY * counted
        self._tolerations = pod.spec.tolerations
        wishes = tuple(one for one in pod.spec.spread if not one.hard)
        self._spread = wishes or (() if pod.spec.spread else SYSTEM_SPREAD)
        self._alike = Counter(one.node for one in others if one.node)
        self._room: dict[str, tuple[int, int]] = {}

    def took(self, name: str) -> None:
        """One more of them is there."""
        self._alike[name] += 1
        self._room.pop(name, None)

    def best(self, infos: Sequence[NodeInfo]) -> list[str]:
        """The names of those with the highest score: several where the scheduler takes one of them at random."""
        room = [self._of(info) for info in infos]
        most_taints = max((taints for _, taints in room), default=0)
        spread = self._spreading(infos)
        totals = [
            own + TAINTS_WEIGHT * _few(taints, most_taints) + SPREAD_WEIGHT * apart
            for (own, taints), apart in zip(room, spread, strict=True)
        ]
        top = max(totals, default=0)
        return [info.node.name for info, total in zip(infos, totals, strict=True) if total == top]

    def _of(self, info: NodeInfo) -> tuple[int, int]:
        """What only the node itself decides: the two scores of resources, and how many soft taints it has."""
        known = self._room.get(info.node.name)
        if known is None:
            known = self._room[info.node.name] = (self._resources(info), self._soft_taints(info))
        return known

    def _resources(self, info: NodeInfo) -> int:
        there, used = info.node.allocatable, info.requested
        cpu, memory = there.get("cpu", 0), there.get("memory", 0)
        if not cpu or not memory:
            return 0
        cpu_used, memory_used = used.get("cpu", 0) + self._cpu, used.get("memory", 0) + self._memory
        left = _left(cpu, cpu_used) + _left(memory, memory_used)
        one, other = min(1.0, cpu_used / cpu), min(1.0, memory_used / memory)
        return left // 2 + int((1 - abs(one - other) / 2) * BEST)

    def _soft_taints(self, info: NodeInfo) -> int:
        soft = [one for one in info.node.taints if one.effect == "PreferNoSchedule"]
        return sum(1 for one in soft if not tolerated(one, self._tolerations)) if soft else 0

    def _spreading(self, infos: Sequence[NodeInfo]) -> list[int]:
        """kubernetes: podtopologyspread/scoring.go: fewer of its kind in the domain is better; all alike where none."""
        constraints = [one for one in self._spread if any(one.key in info.node.labels for info in infos)]
        if not constraints or not infos:
            return [0] * len(infos)
        raw = [0.0] * len(infos)
        for constraint in constraints:
            domains = [info.node.labels.get(constraint.key, "") for info in infos]
            here = self._by_domain(constraint, infos, domains)
            weight = math.log(len(set(domains)) + 2)
            raw = [
                total + here.get(domain, 0) * weight + (constraint.max_skew - 1)
                for total, domain in zip(raw, domains, strict=True)
            ]
        least, most = round(min(raw)), round(max(raw))
        if not most:
            return [BEST] * len(infos)
        return [BEST * (most + least - round(one)) // most for one in raw]

    def _by_domain(
        self, constraint: SpreadConstraint, infos: Sequence[NodeInfo], domains: Sequence[str]
    ) -> Mapping[str, int]:
        found: Counter[str] = Counter()
        for info, domain in zip(infos, domains, strict=True):
            if number := self._alike.get(info.node.name):
                found[domain] += number
        return found


def looked_at(nodes: int) -> int:
    """Of how many feasible nodes the scheduler chooses the best: kubernetes:pkg/scheduler/schedule_one.go."""
    if nodes < ALL_SCORED_BELOW:
        return nodes
    percent = max(5, 50 - nodes // 125)
    return max(ALL_SCORED_BELOW, nodes * percent // 100)


def _left(there: int, used: int) -> int:
    return 0 if used > there else (there - used) * BEST // there


def _few(taints: int, most: int) -> int:
    return BEST if not most else BEST - BEST * taints // most
