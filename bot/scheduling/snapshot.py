"""The view as it is, as long as it does not change: what filters find out about it is found out once.

All states that are made from one share its snapshot, so that asking "what if" a dozen times costs little more than
asking once.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from bot.domain.pod import FINISHED, Pod
from bot.domain.view import View
from bot.scheduling.node_info import NodeInfo

FoundT = TypeVar("FoundT")
Alike = dict[str, dict[int, list[Pod]]]  # pods by namespace and by the identity of their labels


class Snapshot:
    """Reads the view's indexes; keeps no copy of them."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._found: dict[Hashable, Any] = {}

    @cached_property
    def infos(self) -> dict[str, NodeInfo]:
        """All nodes, by name."""
        view, nothing = self.view, dict[Any, int]()
        pods, requested, priorities = view.pods_by_node.get, view.requested.get, view.priorities.get
        return {
            name: NodeInfo(node, pods(name, ()), requested(name, nothing), priorities(name, nothing))
            for name, node in view.nodes.items()
        }

    def once(self, key: Hashable, find: Callable[[], FoundT]) -> FoundT:
        """What `find` finds, asked only the first time for that key. It must not be changed."""
        if key not in self._found:
            self._found[key] = find()
        found: FoundT = self._found[key]
        return found

    def placed(self, namespaces: Iterable[str] | None) -> Iterator[list[Pod]]:
        """Pods that the scheduler counts, in these namespaces or (None) in all.

        Those with the same labels in the same namespace, as pods of one template are, come together.
        """
        if namespaces is None:
            return chain.from_iterable(each.values() for each in self.once("alike", self._alike_anywhere).values())
        return chain.from_iterable(map(self._alike_in, namespaces))

    def _alike_in(self, namespace: str) -> Collection[list[Pod]]:
        owned = (*self._by_namespace.get("", ()), *self._by_namespace.get(namespace, ()))
        found = self.once(("alike", namespace), lambda: _alike((*owned, self.view.unowned)))
        return found.get(namespace, {}).values()

    def _alike_anywhere(self) -> Alike:
        return _alike((*self.view.pods_by_owner.values(), self.view.unowned))

    @cached_property
    def _by_namespace(self) -> dict[str, list[Collection[Pod]]]:
        """Pods by owner, which are all in its namespace. Nodes, owners of mirror pods, stand under ""."""
        found: dict[str, list[Collection[Pod]]] = {}
        for pods in self.view.pods_by_owner.values():
            for pod in pods:
                several = pod.owner is not None and pod.owner.kind == "Node"
                found.setdefault("" if several else pod.namespace, []).append(pods)
                break
        return found


def _alike(groups: Iterable[Collection[Pod]]) -> Alike:
    found: Alike = {}
    for pod in chain.from_iterable(groups):
        if pod.node and pod.phase not in FINISHED:
            here = found.get(pod.namespace)
            if here is None:
                here = found[pod.namespace] = {}
            alike = here.get(id(pod.labels))
            if alike is None:
                here[id(pod.labels)] = [pod]
            else:
                alike.append(pod)
    return found
