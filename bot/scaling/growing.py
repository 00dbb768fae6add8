"""What an autoscaler of nodes could do for replicas that find no place: whether new nodes of a kind would take them.

Which group a node belongs to is not told by the API; so the nodes that are there stand for what could come.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.scaling.standing import Standing
from bot.scheduling.feasible import feasible_on
from bot.scheduling.state import State
from bot.why.autoscaler_growing import node_groups
from bot.why.autoscaler_status import autoscalers
from bot.why.change import AddNode, World, fresh
from bot.why.karpenter_labels import pools
from bot.why.karpenter_pools import limits_left
from bot.why.placement.nodes import Survey, main_resource

KINDS_TRIED = 4
ON_ONE_MOST = 64


@dataclass(frozen=True, slots=True)
class Growth:
    """`nodes` more nodes like `like` would take all that wait, `each` of them on one. `who` may add some."""

    like: str
    nodes: int
    each: int
    who: tuple[str, ...]


def growth(now: Standing, pods: tuple[Pod, ...], missing: int, survey: Survey | None, state: State) -> Growth | None:
    """None where no new node like those that are there would help."""
    if survey is None or len(pods) > 1 or pods[0].spec.claims:  # which devices a new node brings cannot be told
        return None
    for like in _kinds(survey):
        each = _on_one(pods[0], state, like)
        if each:
            return Growth(like, -(-missing // each), each, tuple(_who(now, pods[0])))
    return None


def _kinds(survey: Survey) -> Iterator[str]:
    """One node of each kind that has what the pod needs most of."""
    seen: set[tuple[object, ...]] = set()
    resource = main_resource(survey.pod)
    for name in survey.possible:
        node = survey.state.info(name).node
        face = (node.allocatable.get(resource, 0), tuple(sorted(node.taints, key=str)))
        if face not in seen and len(seen) < KINDS_TRIED:
            seen.add(face)
            yield name


def _on_one(pod: Pod, state: State, like: str) -> int:
    """How many fit on a node like that when it is new and empty."""
    new = AddNode(like)
    name = new.names()[0]
    if name in state.nodes:
        return 0
    world = World(pod, state.with_new_node(fresh(state.info(like).node, name)))
    for number in range(ON_ONE_MOST):
        if not feasible_on(world.pod, world.state, (name,)):
            return number
        world = World(pod, world.state.with_pod(pod, name))
    return ON_ONE_MOST


def _who(now: Standing, pod: Pod) -> Iterator[str]:
    """Autoscalers that run here, with how far they may go."""
    running = [one for one in autoscalers(now.case.view) if one.phase == "Running"]
    if running:
        groups = [one for one in node_groups(now.case) if one.target < one.most]
        told = names([f"{one.words}{' (it is in back-off)' if one.backoff else ''}" for one in groups], 4)
        sizes = f": {told}" if told else ", its groups could not be seen"
        yield f"Cluster Autoscaler runs here and may add some{sizes}"
    if known := pools(now.case):
        left = limits_left(now.case, pod)
        more = f": {left}" if left else ""
        yield f"Karpenter runs here with {count(len(known), 'NodePool')} and may add some{more}"
