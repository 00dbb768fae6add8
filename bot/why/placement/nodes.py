"""All nodes of a verdict, sorted: those that could never hold the pod apart from those that could, by what blocks them.

"2 Insufficient nvidia.com/gpu" about nodes without any GPU is not the news: such nodes are counted and left alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.gpu.kind import is_gpu_resource, product_label, says_gpu, short
from bot.scheduling.columns import amounts
from bot.scheduling.cycle import Rejection
from bot.scheduling.evaluate import Verdict
from bot.scheduling.filters.node_resources_fit import Shortage
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import NodeInfo, State
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.blockers import of_rejection

CONTROL_PLANE = frozenset({"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"})
NO_GPU = "CPU node"
CONTROL = "control-plane node"
ANOTHER = "other node, for which it is not meant"
NODE_NAME = "metadata.name"
DISCOVERED = (  # by GFD, NFD and the like
    "nvidia.com/gpu.",
    "nvidia.com/cuda.",
    "nvidia.com/mig.",
    "amd.com/gpu.",
    "gpu.intel.com/",
    "feature.node.kubernetes.io/",
)
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

    @cached_property
    def possible_nodes(self) -> tuple[NodeInfo, ...]:
        return tuple(map(self.state.info, self.possible))

    def free_on_each(self, resource: str = "") -> Mapping[str, int]:
        """`free` of every node."""
        resource = resource or self.main
        snapshot, changed = self.state.snapshot, self.state.changed
        every = snapshot.once((__name__, resource), lambda: _free(snapshot, resource))
        return {**every, **{name: self.free(name, resource) for name in changed}} if changed else every

    def free(self, name: str, resource: str = "") -> int:
        """What is left there of the main resource; negative where more is promised than there is."""
        info = self.state.info(name)
        resource = resource or self.main
        return info.node.allocatable.get(resource, 0) - info.requested.get(resource, 0)


def _free(snapshot: Snapshot, resource: str) -> dict[str, int]:
    every = amounts(snapshot, resource)
    return dict(zip(snapshot.infos, every.told([there - used for used, there in every.values]), strict=True))


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
    for names in _alike(state, verdict):
        node = state.info(names[0]).node
        blockers = _blockers(verdict.nodes[names[0]], node, state, known)
        if why := _never(blockers, node, main):
            never[why] += names
            continue
        key = tuple(sorted({one.key for one in blockers}))
        samples.setdefault(key, blockers)
        grouped[key] += names
    groups = [NodeGroup(samples[key], by_name(state, members)) for key, members in grouped.items()]
    groups.sort(key=lambda group: (-len(group.nodes), len(group.blockers), group.nodes[0]))
    return Survey(pod, state, verdict, tuple(groups), {why: tuple(members) for why, members in sorted(never.items())})


def _alike(state: State, verdict: Verdict) -> Iterable[list[str]]:
    """Nodes that the very same turns down and that people would call the same; of several sorts the first met first."""
    faces = {**state.view.each_node(_face), **{name: _face(info.node) for name, info in state.changed.items()}}
    found: dict[tuple[int, int], list[str]] = defaultdict(list)
    names = [name for name, rejections in verdict.nodes.items() if rejections]
    looks, told = map(id, map(faces.__getitem__, names)), map(id, filter(None, verdict.nodes.values()))
    for name, both in zip(names, zip(told, looks, strict=True), strict=True):
        found[both].append(name)
    return found.values()


def _face(node: Node) -> tuple[object, ...]:
    """All of a node that `_never` looks at, beside what turns the pod down: one object for all nodes that are alike."""
    offers = (key for key, amount in node.allocatable.items() if amount and is_gpu_resource(key))
    has = (key for key, amount in node.capacity.items() if amount and is_gpu_resource(key))
    return _same((product_label(node.labels), says_gpu(node.labels), tuple(sorted(offers)), tuple(sorted(has))))


@lru_cache(maxsize=1024)
def _same(face: tuple[object, ...]) -> tuple[object, ...]:
    return face


def by_name(state: State, names: Iterable[str]) -> tuple[str, ...]:
    """As people sort them: gpu-8 before gpu-10."""
    if state.nodes is not state.view.nodes:
        return tuple(sorted(names, key=natural))
    return tuple(sorted(names, key=state.view.places().__getitem__))


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
        if one.kind is Kind.LABELS and not _undiscovered(one, node, main):
            return ANOTHER if one.about == NODE_NAME else f"{what(node)} without `{_wanted(one)}`"
        if one.kind is Kind.TAINT and one.about in CONTROL_PLANE:
            return CONTROL
    if not main or not is_gpu_resource(main):
        return ""
    nothing = any(one.kind is Kind.NONE and isinstance(one.detail, Shortage) and one.about == main for one in blockers)
    if nothing and not says_gpu(node.labels) and not node.capacity.get(main):
        offers = next((key for key in sorted(node.allocatable) if is_gpu_resource(key) and node.allocatable[key]), "")
        return f"{what(node)} that offers `{offers}` instead" if offers else NO_GPU
    return ""


def _undiscovered(one: Blocker, node: Node, main: str) -> bool:
    """A node with the GPUs that lacks a label which feature discovery sets: it has one as soon as discovery works."""
    return (
        one.about.startswith(DISCOVERED)
        and one.about not in node.labels
        and is_gpu_resource(main)
        and node.allocatable.get(main, 0) > 0
    )


def _wanted(one: Blocker) -> str:
    return one.key.removeprefix("label:").removeprefix("labels:")


def what(node: Node) -> str:
    """What people call such a node: `H200 node`, `CPU node`."""
    product = product_label(node.labels).removesuffix("-SHARED")
    if product:
        return f"{short(product)} node"
    offers = any(value and is_gpu_resource(name) for name, value in node.allocatable.items())
    return "GPU node" if offers or says_gpu(node.labels) else "CPU node"


def counted(number: int, why: str) -> str:
    """`4 A10 nodes without …` from 4 and `A10 node without …`."""
    if number == 1:
        return f"1 {why}"
    return f"{number:,} {why.replace(' node', ' nodes', 1).replace('offers', 'offer', 1)}"
