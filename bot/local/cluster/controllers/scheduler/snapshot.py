"""All nodes as the scheduler sees them, and which of them suit a shape of pod.

Pods of one shape (same requests, selectors, tolerations) get the same answer from every filter, so nodes are sorted
once a shape and then only corrected: 5,000 pods of one Deployment on 1,000 nodes cost 1,000 looks, not 5,000,000.
"""

import heapq
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from bot.local.cluster.controllers.scheduler.filters import Filter, reject
from bot.local.cluster.controllers.scheduler.node import NodeView
from bot.local.cluster.controllers.scheduler.pod import PodKey, PodView

SHAPES_KEPT = 256

Score = tuple[int, ...]


@dataclass(slots=True)
class _Ranking:
    room_made: int  # what `Snapshot.room_made` was when the nodes were looked at
    heap: list[tuple[Score, str]]


class Snapshot:
    def __init__(self, score: Callable[[PodView, NodeView], Score]) -> None:
        self.nodes: dict[str, NodeView] = {}
        self.room_made = 0  # grows whenever a pod that did not fit might fit now
        self._score = score
        self._where: dict[PodKey, str] = {}
        self._nominated: dict[PodKey, str] = {}
        self._homeless: dict[str, dict[PodKey, PodView]] = {}  # bound to a node that is not there (yet)
        self._rankings: OrderedDict[str, _Ranking] = OrderedDict()

    def put_node(self, node: NodeView) -> bool:
        """Returns whether anything changed that a filter reads."""
        old = self.nodes.get(node.name)
        if old and old.offers_the_same(node):
            return False
        for pod in (old.pods if old else self._homeless.pop(node.name, {})).values():
            node.add(pod)
        node.nominated = old.nominated if old else {}
        self.nodes[node.name] = node
        self.room_made += 1
        return True

    def drop_node(self, name: str) -> None:
        if node := self.nodes.pop(name, None):
            self._homeless[name] = node.pods
            self.room_made += 1

    def put_pod(self, pod: PodView) -> None:
        """A pod that is bound and has not finished."""
        self.forget_nomination(pod.key)
        if self._where.get(pod.key) == pod.node_name:
            self._replace(pod)
            return
        self._where[pod.key] = pod.node_name
        if node := self.nodes.get(pod.node_name):
            node.add(pod)
        else:
            self._homeless.setdefault(pod.node_name, {})[pod.key] = pod

    def drop_pod(self, key: PodKey) -> bool:
        """Returns whether the pod held anything."""
        self.forget_nomination(key)
        name = self._where.pop(key, None)
        if name is None:
            return False
        self._homeless.get(name, {}).pop(key, None)
        if node := self.nodes.get(name):
            node.remove(key)
            self.room_made += 1
        return True

    def nominate(self, pod: PodView) -> None:
        self.forget_nomination(pod.key)
        if node := self.nodes.get(pod.nominated_node):
            node.nominated[pod.key] = pod
            self._nominated[pod.key] = pod.nominated_node

    def forget_nomination(self, key: PodKey) -> None:
        name = self._nominated.pop(key, None)
        if name in self.nodes:
            self.nodes[name].nominated.pop(key, None)
            self.room_made += 1

    def best(self, pod: PodView, more: tuple[Filter, ...] = ()) -> NodeView | None:
        """The node that suits best. A pod that was promised a node gets that one if it can."""
        promised = self.nodes.get(pod.nominated_node)
        if promised and reject(pod, promised, more) is None:
            return promised
        heap = self._ranking(pod, more).heap
        while heap:
            score, name = heap[0]
            node = self.nodes.get(name)
            if node is None or reject(pod, node, more):
                heapq.heappop(heap)
            elif (now := self._score(pod, node)) > score:
                heapq.heapreplace(heap, (now, name))
            else:
                return node
        return None

    def _ranking(self, pod: PodView, more: tuple[Filter, ...]) -> _Ranking:
        known = self._rankings.get(pod.shape)
        if known is None or known.room_made != self.room_made:
            fitting = (n for n in self.nodes.values() if reject(pod, n, more) is None)
            known = _Ranking(self.room_made, [(self._score(pod, n), n.name) for n in fitting])
            heapq.heapify(known.heap)
            self._rankings[pod.shape] = known
        self._rankings.move_to_end(pod.shape)
        while len(self._rankings) > SHAPES_KEPT:
            self._rankings.popitem(last=False)
        return known

    def _replace(self, pod: PodView) -> None:
        home = self.nodes.get(pod.node_name)
        if home is None:
            self._homeless.setdefault(pod.node_name, {})[pod.key] = pod
        else:
            home.remove(pod.key)
            home.add(pod)
