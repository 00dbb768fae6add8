"""How much of one resource is free where: what a sum over nodes hides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.domain.node import Node
from bot.domain.record import Amounts
from bot.domain.text import natural
from bot.domain.view import View
from bot.why.amounts import said


@dataclass(frozen=True, slots=True)
class Room:
    """`free` maps nodes that can take pods and have any of the resource to what is free there, never below zero."""

    resource: str
    free: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.free.values())

    @property
    def largest(self) -> int:
        return max(self.free.values(), default=0)

    @property
    def best(self) -> str:
        """The node with most of it free; empty where there is no node."""
        return min(self.free, key=lambda name: (-self.free[name], natural(name)), default="")

    @property
    def words(self) -> str:
        """`8 GPUs are free, at most 2 on one node (gpu-a)`."""
        verb = "is" if self.total == 1 else "are"
        where = f", at most {self.largest} on one node ({self.best})" if self.total else ""
        return f"{said(self.resource, self.total)} {verb} free{where}"


def usable(node: Node) -> bool:
    """Ready and not cordoned."""
    return node.ready is not False and not node.unschedulable


def room(view: View, resource: str, nodes: Iterable[Node] | None = None) -> Room:
    """On all usable nodes, or on those of `nodes` that are."""
    found: dict[str, int] = {}
    for node in view.nodes.values() if nodes is None else nodes:
        if usable(node) and (there := node.allocatable.get(resource, 0)) > 0:
            found[node.name] = max(0, there - view.requested_on(node.name).get(resource, 0))
    return Room(resource, found)


def free_on(view: View, node: Node) -> dict[str, int]:
    """Everything that is free on one node, pods included."""
    requested: Amounts = view.requested_on(node.name)
    return {name: there - requested.get(name, 0) for name, there in node.allocatable.items()}
