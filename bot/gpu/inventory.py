"""All GPU nodes of a view, kept up to date, with sums that need no second look at any pod.

A view says which nodes changed; only those are inspected again. Sums are kept per group (one kind of GPU in one node
pool) and made anew only for groups in which something changed, so that an answer costs the same in a fleet of five
thousand nodes as in one of fifty.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from bot.domain.text import natural
from bot.domain.view import View
from bot.gpu.group import Group, GroupKey
from bot.gpu.kind import Kind
from bot.gpu.node import inspect
from bot.gpu.policy import Policy
from bot.gpu.row import GpuNode, Row
from bot.gpu.totals import Totals


class Inventory:
    """`nodes` by name; `groups` by kind and pool. Call `refresh` before reading."""

    def __init__(self, view: View, policy: Policy) -> None:
        self.view = view
        self.policy = policy
        self.nodes: dict[str, GpuNode] = {}
        self.groups: dict[GroupKey, Group] = {}
        self._dirty: set[str] = set(view.nodes)
        self._special: set[str] = set()  # names of silent and noted nodes
        view.watchers.append(self._dirty)

    def refresh(self, at_most: int | None = None) -> int:
        """Look again at changed nodes, all or `at_most` of them; how many are left."""
        for _ in range(len(self._dirty) if at_most is None else min(at_most, len(self._dirty))):
            self._look(self._dirty.pop())
        return len(self._dirty)

    def pending(self) -> int:
        """How many nodes changed since they were last looked at."""
        return len(self._dirty)

    def totals(self) -> Iterator[tuple[GroupKey, Totals]]:
        """The sums of every group, by kind and pool."""
        for key in sorted(self.groups, key=lambda key: (key.kind.product, key.kind.form, key.kind.detail, key.pool)):
            yield key, self.groups[key].totals()

    def nodes_of(self, kind: Kind, pools: Iterable[str]) -> Iterator[str]:
        """Names of the nodes that offer that kind in one of those pools."""
        for pool in pools:
            group = self.groups.get(GroupKey(kind, pool))
            if group is not None:
                yield from group.nodes

    def silent(self) -> list[GpuNode]:
        """Nodes that carry a GPU label and offer no GPU resource, by name."""
        return [node for node in self._noteworthy() if node.silent]

    def noted(self) -> list[GpuNode]:
        """Nodes about which there is something to say, by name."""
        return [node for node in self._noteworthy() if node.notes]

    def _noteworthy(self) -> list[GpuNode]:
        return [self.nodes[name] for name in sorted(self._special, key=natural)]

    def _look(self, name: str) -> None:
        node = self.view.nodes.get(name)
        new = inspect(self.view, node, self.policy) if node else None
        old = self.nodes.pop(name, None)
        if old is not None:
            self._remove(old)
        if new is not None:
            self.nodes[name] = new
            self._add(new)

    def _add(self, node: GpuNode) -> None:
        if node.silent or node.notes:
            self._special.add(node.name)
        for key, rows in _by_group(node).items():
            self.groups.setdefault(key, Group(key)).put(node, rows)

    def _remove(self, node: GpuNode) -> None:
        self._special.discard(node.name)
        for key in _by_group(node):
            group = self.groups[key]
            group.take(node.name)
            if not group.nodes:
                del self.groups[key]


def _by_group(node: GpuNode) -> dict[GroupKey, list[Row]]:
    groups: dict[GroupKey, list[Row]] = defaultdict(list)
    for row in node.rows:
        groups[GroupKey(row.kind, node.pool)].append(row)
    return groups
