"""All nodes of a verdict, sorted: those that could never hold the pod apart from those that could, by what blocks them.

"2 Insufficient nvidia.com/gpu" about nodes without any GPU is not the news: such nodes are counted and left alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.record import Labels
from bot.domain.text import natural
from bot.gpu.kind import is_gpu_resource, product_label, says_gpu, short
from bot.scheduling.cycle import Rejection
from bot.scheduling.evaluate import Verdict
from bot.scheduling.filters.node_resources_fit import Shortage
from bot.scheduling.state import State
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.blockers import of_rejection

CONTROL_PLANE = frozenset({"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"})
NO_GPU = "CPU node"
CONTROL = "control-plane node"
BASIC = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes that the same things block. `blockers` are of its first node; numbers differ from node to node."""

    blockers: tuple[Blocker, ...]
    nodes: tuple[str, ...]

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(one.kind for one in self.blockers)

    def only(self, kind: Kind) -> Blocker | None:
        """The blocker, where it is the only one and of that kind."""
        return self.blockers[0] if len(self.blockers) == 1 and self.blockers[0].kind is kind else None


@dataclass(frozen=True)
class Survey:
    """`groups`: nodes that could hold the pod but for what blocks them, largest group first. `never`: the others, by
    why they could not, in words about one node (see `counted`).
    """

    pod: Pod
    state: State
    verdict: Verdict
    groups: tuple[NodeGroup, ...]
    never: Mapping[str, tuple[str, ...]]

    @cached_property
    def main(self) -> str:
        """The resource that people think of: the GPUs asked for, else another extended one, else none."""
        return main_resource(self.pod)

    @property
    def asked(self) -> int:
        return self.pod.requests.get(self.main, 0)

    @cached_property
    def possible(self) -> tuple[str, ...]:
        return tuple(name for group in self.groups for name in group.nodes)

    def free(self, name: str, resource: str = "") -> int:
        """What is left there of the main resource; negative where more is promised than there is."""
        info = self.state.info(name)
        resource = resource or self.main
        return info.node.allocatable.get(resource, 0) - info.requested.get(resource, 0)


def main_resource(pod: Pod) -> str:
    extended = sorted(name for name, value in pod.requests.items() if value and name not in BASIC)
    gpus = [name for name in extended if is_gpu_resource(name)]
    others = [name for name in extended if not name.startswith("hugepages-")]
    return next(iter([*gpus, *others]), "")


def survey(pod: Pod, state: State, verdict: Verdict) -> Survey:
    """Sort all nodes that turn the pod down."""
    main = main_resource(pod)
    grouped: dict[tuple[str, ...], list[str]] = defaultdict(list)
    samples: dict[tuple[str, ...], tuple[Blocker, ...]] = {}
    never: dict[str, list[str]] = defaultdict(list)
    known: dict[int, tuple[Blocker, ...]] = {}
    for name, rejections in verdict.nodes.items():
        if not rejections:
            continue
        node = state.info(name).node
        blockers = _blockers(rejections, node, state, known)
        if why := _never(blockers, node, main):
            never[why].append(name)
            continue
        key = tuple(sorted({one.key for one in blockers}))
        samples.setdefault(key, blockers)
        grouped[key].append(name)
    groups = [NodeGroup(samples[key], tuple(sorted(members, key=natural))) for key, members in grouped.items()]
    groups.sort(key=lambda group: (-len(group.nodes), len(group.blockers), group.nodes[0]))
    return Survey(pod, state, verdict, tuple(groups), {why: tuple(members) for why, members in sorted(never.items())})


def _blockers(
    rejections: Iterable[Rejection], node: Node, state: State, known: dict[int, tuple[Blocker, ...]]
) -> tuple[Blocker, ...]:
    """Filters give the same failure object to nodes that are alike; resources differ on each."""
    found: list[Blocker] = []
    for rejection in rejections:
        key = id(rejection.failure)
        if key not in known:
            known[key] = tuple(of_rejection(rejection, node, state.view))
        found += known[key]
    return tuple({one.key: one for one in found}.values())


def _never(blockers: tuple[Blocker, ...], node: Node, main: str) -> str:
    """Why this node is none that anybody would think of for the pod; empty where it could be one."""
    for one in blockers:
        if one.kind is Kind.LABELS:
            return f"{what(node.labels)} without `{_wanted(one)}`"
        if one.kind is Kind.TAINT and one.about in CONTROL_PLANE:
            return CONTROL
    if not main or not is_gpu_resource(main):
        return ""
    nothing = any(one.kind is Kind.NONE and isinstance(one.detail, Shortage) and one.about == main for one in blockers)
    if nothing and not says_gpu(node.labels) and not node.capacity.get(main):
        offers = next((key for key in sorted(node.allocatable) if is_gpu_resource(key) and node.allocatable[key]), "")
        return f"{what(node.labels)} that offers `{offers}` instead" if offers else NO_GPU
    return ""


def _wanted(one: Blocker) -> str:
    return one.key.removeprefix("label:").removeprefix("labels:")


def what(labels: Labels) -> str:
    """What people call such a node: `H200 node`, `CPU node`."""
    product = product_label(labels).removesuffix("-SHARED")
    return f"{short(product)} node" if product else "GPU node" if says_gpu(labels) else "CPU node"


def counted(number: int, why: str) -> str:
    """`4 A10 nodes without …` from 4 and `A10 node without …`."""
    if number == 1:
        return f"1 {why}"
    return f"{number:,} {why.replace(' node', ' nodes', 1).replace('offers', 'offer', 1)}"
