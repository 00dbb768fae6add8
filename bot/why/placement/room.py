"""Making room on one node: pods that fit elsewhere are moved, others end; pods that leave anyway are waited for."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

import msgspec

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.quantity import shown
from bot.domain.text import natural
from bot.domain.time import seconds_since
from bot.domain.words import count, duration, names
from bot.gpu.owners import top_owner
from bot.gpu.policy import Policy
from bot.scheduling.state import State
from bot.why.change import End, World
from bot.why.placement import basics, ending, in_line, moving
from bot.why.placement.blocker import Kind
from bot.why.placement.blockers import resource_name
from bot.why.placement.commands import delete_pods, kubectl
from bot.why.placement.holders import Holder, holders
from bot.why.placement.nodes import Survey
from bot.why.placement.overdue import is_overdue

NODES_TRIED = 12  # those that need least, best first
COMBINED = 3  # holders that are ended together at most
MOVES_NAMED = 3
CONSIDERED = 8  # holders of a node, best to end first


@dataclass(frozen=True, slots=True)
class Plan:
    """Empty a part of `node`: `gone` are the owners whose pods leave, `moves` where each would go (empty: nowhere)."""

    node: str
    gone: tuple[Holder, ...]
    moves: tuple[tuple[Pod, str], ...]

    @property
    def pods(self) -> tuple[Pod, ...]:
        return tuple(pod for one in self.gone for pod in one.pods)

    @property
    def moved(self) -> bool:
        """All that leaves has a place elsewhere."""
        return len(self.moves) == len(self.pods)


def make_room(survey: Survey, world: World, policy: Policy, now: datetime) -> Iterator[Remedy]:
    """At most one plan that moves and one that ends, the cheapest of each."""
    if not _scarce(survey):
        return
    plans = list(_plans(survey, world, policy))
    elsewhere = [plan for plan in plans if plan.moved]
    most = survey.pod.priority
    nowhere = [plan for plan in plans if not plan.moved and all(one.priority <= most for one in plan.gone)]
    for plan in (*elsewhere[:1], *nowhere[:1]):
        emptied = End((*plan.pods, *_leaving(survey, plan.node)), "").apply(world)
        yield in_line.told(_remedy(plan, survey, now), emptied, plan.node)


def _plans(survey: Survey, world: World, policy: Policy) -> Iterator[Plan]:
    """For the nodes that need least: the smallest set of owners whose pods make room there."""
    nodes = [name for group in survey.groups if group.kinds <= {Kind.SHORT} for name in group.nodes]
    nodes.sort(key=lambda name: (-survey.free(name, _scarce(survey)), natural(name)))
    found: list[tuple[tuple[int, ...], Plan]] = []
    for name in nodes[:NODES_TRIED]:
        plan = _cheapest(name, survey, world, policy)
        if plan is not None:
            found.append((_cost(plan, survey), plan))
    found.sort(key=lambda pair: (pair[0], natural(pair[1].node)))
    yield from (plan for _, plan in found)


def _cheapest(node: str, survey: Survey, world: World, policy: Policy) -> Plan | None:
    """Pods that are terminating go anyway: none where that is enough."""
    info, view = survey.state.info(node), survey.state.view
    leaving = _leaving(survey, node)
    if leaving and End(leaving, "").apply(world).fits([node]):
        return None
    staying = [pod for pod in info.live if not pod.deleted]
    resource = _scarce(survey)
    held = holders(view, policy, staying, resource, survey.pod.priority)
    here = [one for one in held if not _self(one, survey)][:CONSIDERED]
    need = survey.pod.requests.get(resource, 0) - survey.free(node, resource)
    need -= sum(pod.requests.get(resource, 0) for pod in leaving)
    for size in range(1, COMBINED + 1):
        for chosen in combinations(here, size):
            if sum(one.amount for one in chosen) < need:
                continue
            pods = tuple(pod for one in chosen for pod in one.pods)
            emptied = End((*pods, *leaving), "").apply(world)
            if not emptied.fits([node]):
                continue
            plan = Plan(node, chosen, _placed(pods, emptied, node))
            if plan.moved or all(ending.end(one, view) for one in chosen):
                return plan
    return None


def _scarce(survey: Survey) -> str:
    """What has to be freed: CPU and the like where only that is short, else GPUs."""
    found = basics.scarce(survey)
    return survey.main if found in ("", "pods") else found


def _self(one: Holder, survey: Survey) -> bool:
    """Pods of the same owner are no others' work: the rollout stage tells of those."""
    kind, name = top_owner(survey.state.view, survey.pod)
    return (one.kind, one.namespace, one.name) == (kind, survey.pod.namespace, name)


def _placed(pods: tuple[Pod, ...], world: World, node: str) -> tuple[tuple[Pod, str], ...]:
    """Where the pods would go once this pod has taken its place; as many as find one, the largest first."""
    state: State = world.state.with_pod(world.pod, node)
    moves: list[tuple[Pod, str]] = []
    for pod in sorted(pods, key=lambda pod: (-max(pod.requests.values(), default=0), pod.key)):
        if not moving.starts_again(pod, pods, world.pod, state.view):
            continue
        waiting = msgspec.structs.replace(pod, node="", nominated="", phase="Pending", made_claims=pod.made_claims)
        targets = World(waiting, state).fits(at_most=1)
        if targets:
            state = state.with_pod(waiting, targets[0])
            moves.append((pod, targets[0]))
    return tuple(moves)


def _cost(plan: Plan, survey: Survey) -> tuple[int, ...]:
    """What is lost: work that finds no other place, priority, how much."""
    homeless = len(plan.pods) - len(plan.moves)
    noted = sum(1 for one in plan.gone if not one.notes)
    higher = sum(1 for one in plan.gone if one.priority > survey.pod.priority)
    return higher, homeless, noted, sum(one.amount for one in plan.gone), len(plan.gone)


def _remedy(plan: Plan, survey: Survey, now: datetime) -> Remedy:
    return _move(plan, survey) if plan.moved else _end(plan, survey, now)


def _move(plan: Plan, survey: Survey) -> Remedy:
    """The node takes no pods meanwhile: else those that leave might come back before the one that waits."""
    resource = _scarce(survey)
    frees = f"{shown(resource, survey.pod.requests.get(resource, 0))} {resource_name(resource)}"
    to = _destinations(plan)
    gone = delete_pods([pod for pod, _ in plan.moves])
    command = f"{kubectl('', 'cordon', plan.node)} && {gone}; {kubectl('', 'uncordon', plan.node)}"
    start = "starts" if len(plan.moves) == 1 else "start"
    lose = "loses what it has" if len(plan.moves) == 1 else "lose what they have"
    return Remedy(
        f"Move {to}: that frees {frees} on {plan.node}",
        command,
        verified=True,
        cost=f"{count(len(plan.moves), 'pod')} {start} again elsewhere and {lose} not saved",
    )


def _destinations(plan: Plan) -> str:
    """`ml/a to gpu-2`, `8 pods of ml/web to gpu-2 and gpu-3`: where there is room now."""
    if len(plan.moves) <= MOVES_NAMED:
        return ", then ".join(f"{pod.key} to {target}" for pod, target in plan.moves)
    owners, nodes = names([one.title for one in plan.gone]), sorted({node for _, node in plan.moves}, key=natural)
    return f"{count(len(plan.moves), 'pod')} of {owners} to {names(nodes)}"


def _end(plan: Plan, survey: Survey, now: datetime) -> Remedy:
    endings = [found for one in plan.gone if (found := ending.end(one, survey.state.view))]
    pods = sum(one.pods for one in endings)
    lose = "loses" if pods == 1 else "lose"
    return Remedy(
        f"End {names([one.title for one in plan.gone])} (frees {plan.node})",
        " && ".join(one.command for one in endings),
        verified=True,
        cost=f"{count(pods, 'pod')} {lose} the work since the last checkpoint{_ran(plan, now)}",
    )


def _ran(plan: Plan, now: datetime) -> str:
    """How much that is at most: where nothing is saved, all since the oldest of them began."""
    ages = [seconds_since(pod.started or pod.created, now) for pod in plan.pods]
    longest = max((age for age in ages if age is not None), default=0.0)
    return f", at most {duration(longest)}" if longest >= 1 else ""


def leaving(survey: Survey, world: World, now: datetime | None = None) -> str:
    """Where pods that are already terminating will make room, waiting is right; not for those that are long overdue."""
    nodes = {pod.node for pod in survey.state.view.leaving}.union(survey.state.changed)
    for group in survey.groups if nodes else ():
        if not group.kinds <= {Kind.SHORT}:
            continue
        for name in filter(nodes.__contains__, group.nodes):
            going = _leaving(survey, name)
            if now is not None and any(is_overdue(pod, now) for pod in going):
                continue
            emptied = End(going, "").apply(world)
            if going and emptied.fits([name]):
                are = "is" if len(going) == 1 else "are"
                have = "has" if len(going) == 1 else "have"
                other = in_line.rival(emptied, name)
                too = f" ({other.key} waits for that as well)" if other else ""
                return f"{names([pod.key for pod in going])} on {name}, which {are} terminating, {have} gone{too}"
    return ""


def _leaving(survey: Survey, node: str) -> tuple[Pod, ...]:
    """Pods on their way out."""
    return tuple(pod for pod in survey.state.info(node).live if pod.deleted)
