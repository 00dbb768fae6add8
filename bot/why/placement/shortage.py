"""What is short, told as it is: used up, in pieces, lost, or too large for any node."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.domain.node import Node
from bot.domain.quantity import shown
from bot.domain.words import count, names
from bot.gpu.kind import is_gpu_resource
from bot.why.amounts import said
from bot.why.placement import offered, on_nodes
from bot.why.placement.blocker import Kind
from bot.why.placement.blockers import resource_name
from bot.why.placement.nodes import NodeGroup, Survey, by_name
from bot.why.placement.origin import asked
from bot.why.placement.told import Headline

NODES_SHOWN = 9
_WORST_FIRST = (Kind.NONE, Kind.SMALL, Kind.SHORT)


def of(survey: Survey, group: NodeGroup) -> Headline:
    """Of one resource: what no waiting would cure before what is short now, and of that the GPUs first."""
    lacking = [one for one in group.blockers if one.kind in _WORST_FIRST]
    worst = min(lacking, key=lambda one: (_WORST_FIRST.index(one.kind), one.about != survey.main))
    resource = worst.about
    if resource == survey.main or is_gpu_resource(resource):
        return _whole_cluster(survey, resource)
    return on_nodes.headline(survey, group, resource)


def _whole_cluster(survey: Survey, resource: str) -> Headline:
    """GPUs: what is free in the cluster decides the words, not the nodes of one group."""
    amount = survey.pod.requests[resource]
    nodes = [info.node for info in survey.possible_nodes]
    offering = [node for node in nodes if node.allocatable.get(resource, 0) > 0]
    if not offering:
        return offered.nowhere(survey, resource)
    largest = max(node.allocatable.get(resource, 0) for node in offering)
    if largest < amount:
        return _too_large(survey, resource, offering)
    free = survey.free_on_each(resource)
    names_of = by_name(survey.state, (node.name for node in offering))
    return _too_little(survey, resource, Free({name: max(0, free[name]) for name in names_of}, survey))


@dataclass(frozen=True)
class Free:
    """What is free of one resource on the nodes that have it; `kept`: where something else keeps the pod away."""

    on: Mapping[str, int]
    survey: Survey

    @cached_property
    def usable(self) -> dict[str, int]:
        """Kept from the pod by nothing but being too little."""
        nodes = self.survey.verdict.nodes
        alike = {id(one): one for one in nodes.values()}
        short = {key for key, one in alike.items() if all(each.plugin == "NodeResourcesFit" for each in one)}
        return {name: value for name, value in self.on.items() if id(nodes.get(name, ())) in short}

    @cached_property
    def kept(self) -> dict[str, int]:
        """Where there is some, and a taint, a cordon or the like is in the way."""
        return {name: value for name, value in self.on.items() if value and name not in self.usable}


def _too_little(survey: Survey, resource: str, free: Free) -> Headline:
    """Used up or in pieces. What is free on nodes that keep the pod away counts for nothing, and is told apart."""
    amount = survey.pod.requests[resource]
    total, best = sum(free.usable.values()), max(free.usable.values(), default=0)
    numbers: dict[str, object] = {"asked": amount, "free": total, "largest": best, "nodes": len(free.on)}
    what = asked(survey, resource)
    most = next((name for name, value in free.usable.items() if value == best), "")
    if best >= amount and (kept := _promised(survey, most)):
        return Headline("resources.promised", f"it needs {what} and the {best} free ones on {kept}", numbers=numbers)
    on_one = " on one node" if amount > 1 else ""
    if total >= amount:
        on = next(name for name, value in free.usable.items() if value == best)
        none = "no node that it may use" if free.kept else "no node"
        told = f"{none} has {amount} free: {total} are free, at most {best} together ({on})"
        return Headline("resources.fragmented", f"it needs {what}{on_one} and {told}", numbers=numbers)
    if total:
        where = names([name for name, value in free.usable.items() if value])
        told = f"only {total} {_is(total)} free {'where it may run' if free.kept else 'in all'} ({where})"
        return Headline("resources.used-up", f"it needs {what}{on_one} and {told}{_elsewhere(free)}", numbers=numbers)
    told = f"none is free on {_where(free)}{_elsewhere(free)}"
    return Headline("resources.used-up", f"it needs {what} and {told}", numbers=numbers)


def _promised(survey: Survey, node: str) -> str:
    """Pods of at least its priority that the scheduler has chosen that node for: what is free counts as theirs."""
    rivals = [one for one in survey.state.view.waiting if one.nominated == node and one is not survey.pod]
    rivals = [one for one in rivals if one.priority >= survey.pod.priority]
    if not rivals:
        return ""
    who = names([f"{one.key} (priority {one.priority:,})" for one in rivals])
    return f"{node} are kept for {who}, which the scheduler has chosen that node for"


def _where(free: Free) -> str:
    """The nodes on which none is free."""
    listed = list(free.usable) or list(free.on)
    if len(listed) <= 3:
        return names(listed)
    return f"the {len(listed):,} nodes that {'it may use' if free.kept else 'have them'}"


def _elsewhere(free: Free) -> str:
    if not free.kept:
        return ""
    number = sum(free.kept.values())
    return f"; {number} more {_is(number)} free where something else keeps it away ({names(list(free.kept))})"


def _too_large(survey: Survey, resource: str, offering: list[Node]) -> Headline:
    """Larger than what any node can give. Where a node would be large enough but for lost GPUs, that is the news."""
    amount = survey.pod.requests[resource]
    largest = max(offering, key=lambda node: node.allocatable.get(resource, 0))
    has = largest.allocatable.get(resource, 0)
    numbers: dict[str, object] = {"asked": amount, "largest": has}
    whole = next((node for node in offering if node.capacity.get(resource, 0) >= amount), None)
    if whole is not None:
        return _lost(whole, resource, amount, numbers)
    sentence = f"it asks for {asked(survey, resource)} on one node, and the largest node has {has} ({largest.name})"
    return Headline("resources.too-large", sentence, numbers=numbers)


def _lost(node: Node, resource: str, amount: int, numbers: dict[str, object]) -> Headline:
    """It would be large enough if all of it could be used."""
    capacity, left = node.capacity[resource], node.allocatable.get(resource, 0)
    lost = f"{count(capacity - left, 'GPU')} of it {_is(capacity - left)} marked unhealthy"
    sentence = (
        f"it needs {said(resource, amount)} on one node; {node.name} has {capacity}, but only {left} can be used: "
        f"{lost} (capacity {capacity}, allocatable {left})"
    )
    useless = ("Nobody holds the missing GPU: ending other pods does not help.",)
    return Headline("resources.lost", sentence, useless=useless, numbers=numbers)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def free_words(survey: Survey, group: NodeGroup, resource: str) -> str:
    """What is free on the nodes of a group that something else blocks: `8 GPUs free on each`, `free GPUs: 8, 3`."""
    free = survey.free_on_each(resource)
    values = {free[name] for name in group.nodes}
    if len(values) == 1:
        return f"{said(resource, values.pop())} free{' on each' if len(group.nodes) > 1 else ''}"
    return f"free {resource_name(resource)}: {free_list(survey, group, resource)}"


def free_list(survey: Survey, group: NodeGroup, resource: str) -> str:
    """`4, 3, 2, 1, 0`: what is free on each node of the group, the largest first."""
    free = survey.free_on_each(resource)
    values = sorted((free[name] for name in group.nodes), reverse=True)
    told = ", ".join(shown(resource, value) for value in values[:NODES_SHOWN])
    return f"{told}{' …' if len(values) > NODES_SHOWN else ''}"
