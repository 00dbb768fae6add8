"""How many members of a gang could be placed at once, and what keeps the rest from a place.

Each member by itself may fit where another of them would go, so they are put on a copy of the cluster one after the
other, through kube-scheduler's filters. The last one's nodes then tell what is in the way of the whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.scheduling.evaluate import evaluate
from bot.scheduling.state import State
from bot.why.case import Case
from bot.why.change import World
from bot.why.finding import Finding, Level
from bot.why.placement.blocker import Kind
from bot.why.placement.nodes import NodeGroup, Survey, main_resource, survey
from bot.why.placement.remedies import advise

MEMBERS_TRIED = 16
_TOO_LITTLE = frozenset({Kind.SHORT, Kind.SMALL, Kind.NONE})
_COSTS_NOBODY = ("Uncordon", "Tolerate")  # how remedies begin that end no other work


@dataclass(frozen=True, slots=True)
class Places:
    """`placed` of `members` have a place or would get one; `rest` is about the first that would get none."""

    placed: int
    members: int
    rest: Survey

    @property
    def kept_away(self) -> tuple[NodeGroup, ...]:
        """Nodes with room that something else closes."""
        return tuple(one for one in self.rest.groups if not one.kinds & _TOO_LITTLE)


def places(case: Case, members: list[Pod]) -> Places | None:
    """None where all would get a place, where they are too many to try, or where nodes or pods are not known."""
    waiting = [one for one in members if not one.node and not one.gated and not one.finished]
    if not case.view.knows("nodes") or not case.view.knows("pods") or not 0 < len(waiting) <= MEMBERS_TRIED:
        return None
    state, placed = case.state, sum(1 for one in members if one.node)
    for pod in sorted(waiting, key=lambda one: (-one.requests.get(main_resource(one), 0), one.key)):
        nodes = World(pod, state).fits()
        if not nodes:
            verdict = evaluate(pod, state)
            if verdict.prefilter is not None or verdict.preenqueue is not None:
                return None  # no node is what it lacks
            return Places(placed, len(members), survey(pod, state, verdict))
        state, placed = state.with_pod(pod, _tightest(state, nodes, main_resource(pod))), placed + 1
    return None


def _tightest(state: State, nodes: tuple[str, ...], resource: str) -> str:
    """Where least is left over."""
    return min(nodes, key=lambda name: (_free(state, name, resource), name))


def _free(state: State, name: str, resource: str) -> int:
    info = state.info(name)
    return info.node.allocatable.get(resource, 0) - info.requested.get(resource, 0)


def no_room(case: Case, found: Places, group: str, least: int, level: Level = Level.CAUSE) -> Finding:
    """That the gang as a whole has no room, with the nodes that would make room and are closed."""
    closed = tuple(_closed(found))
    advice = advise(found.rest, case.policy, case.now)
    head = f"group `{group}` needs {count(least, 'pod')} placed at once, and there is room for {found.placed}"
    near = f": {closed[0]}" if closed else ""
    return Finding(
        "groups.no-room",
        f"its {head}{near}" if level is Level.CAUSE else f"The {head}{near}",
        level,
        evidence=closed[1:],
        remedies=tuple(_free_of_charge(advice.remedies)),
        useless=("Room for this pod alone does not help: all of the group are placed, or none.",),
        until=advice.until,
        weight=1,
        numbers={"needed": least, "placed": found.placed},
    )


def closed_nodes(case: Case, found: Places) -> Finding:
    """For a group that is placed one by one: only the nodes that would take the next."""
    first, *rest = _closed(found)
    advice = advise(found.rest, case.policy, case.now)
    remedies = tuple(_free_of_charge(advice.remedies))
    return Finding(
        "groups.closed-nodes", first, Level.ROOT, evidence=tuple(rest), remedies=remedies, until=advice.until
    )


def _closed(found: Places) -> Iterator[str]:
    for group in found.kept_away:
        free = max((found.rest.free(name) for name in group.nodes), default=0) if found.rest.main else 0
        room = f", {free} free" if free else ""
        why = "; ".join(one.words for one in group.blockers)
        has = "has room and is" if len(group.nodes) == 1 else "have room and are"
        yield f"{names(group.nodes, 3)} {has} closed to `{found.rest.pod.name}` ({why}{room})"


def _free_of_charge(remedies: tuple[Remedy, ...]) -> Iterator[Remedy]:
    return (one for one in remedies if one.action.startswith(_COSTS_NOBODY))
