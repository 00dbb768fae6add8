"""What filters read: the cluster as the scheduler's snapshot has it, and cheap "what if" copies of it.

A `State` holds no copy of the cluster. It reads the view's indexes, and keeps a `NodeInfo` only for nodes that were
changed: `with_pod`, `without_pods`, `with_node` and `with_new_node`, in any order. A state is good for as long as its
view does not change: make one per question. kubernetes/kubernetes:pkg/scheduler/backend/cache/snapshot.go has the
original.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.record import NONE, Labels
from bot.domain.view import View
from bot.scheduling.node_info import NodeInfo
from bot.scheduling.snapshot import Snapshot

__all__ = ("IMPLICIT_RESOURCE", "NodeInfo", "State")

DEFAULT_SCHEDULER = "default-scheduler"
IMPLICIT_RESOURCE = "deviceclass.resource.kubernetes.io/"


class State:
    """A view as filters read it. `nodes` are all there are, by name; `changed` are those that differ from the view."""

    def __init__(
        self,
        view: View,
        changed: Mapping[str, NodeInfo] | None = None,
        nodes: Mapping[str, Node] | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.view = view
        self.changed: Mapping[str, NodeInfo] = changed or {}
        self.nodes: Mapping[str, Node] = view.nodes if nodes is None else nodes
        self.snapshot = snapshot or Snapshot(view)

    # ---- reading -------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Iterable[str]:
        """Names of all nodes."""
        return self.nodes

    def info(self, name: str) -> NodeInfo:
        """The node of that name, which must exist."""
        return self.changed.get(name) or self.snapshot.infos[name]

    def infos(self) -> Iterable[NodeInfo]:
        """All nodes, in the order of `names`."""
        return map(self.info, self.nodes) if self.changed else self.snapshot.infos.values()

    def find(self, name: str) -> NodeInfo | None:
        """As `info`; None for a node that does not exist."""
        return self.info(name) if name in self.nodes else None

    def differences(self) -> Iterator[tuple[int, NodeInfo]]:
        """What makes the view's snapshot this state: nodes to take out of it (-1), and what to put in (+1)."""
        for name, info in self.changed.items():
            if name in self.view.nodes:
                yield -1, self.snapshot.infos[name]
            yield +1, info

    def namespace_labels(self, name: str) -> Labels:
        namespace = self.view.namespaces.get(name)
        return namespace.labels if namespace else NONE

    def nominees(self, node: str) -> Collection[Pod]:
        """Pods that wait for that node (status.nominatedNodeName), of the default scheduler."""
        return self.nominated.get(node, ())

    @cached_property
    def extended_resources(self) -> Mapping[str, str]:
        """Extended resource → the DeviceClass that stands behind it (dynamic resource allocation).

        Of several classes for one resource the newest counts, then the first by name:
        kubernetes/dynamic-resource-allocation:deviceclass/extendedresourcecache.
        """
        found: dict[str, str] = {}
        classes = sorted(self.view.tables.get("deviceclasses", {}).values(), key=lambda one: one.name, reverse=True)
        for one in sorted(classes, key=lambda one: one.created):
            found[f"{IMPLICIT_RESOURCE}{one.name}"] = one.name
            if name := getattr(one, "extended_resource", ""):
                found[name] = one.name
        return found

    @cached_property
    def nominated(self) -> Mapping[str, list[Pod]]:
        """Those of `nominees` by node. A pod that is as if placed waits no more."""
        found: dict[str, list[Pod]] = {}
        for pod in self.view.waiting:
            if pod.nominated and pod.scheduler in ("", DEFAULT_SCHEDULER) and not self._is_placed(pod):
                found.setdefault(pod.nominated, []).append(pod)
        return found

    def _is_placed(self, pod: Pod) -> bool:
        return any(pod.key == other.key for info in self.changed.values() for other in info.pods)

    # ---- what if -------------------------------------------------------------------------------------------------

    def with_pod(self, pod: Pod, node: str) -> "State":
        """As if the pod were on that node."""
        return self._with(_filled(self.info(node), [pod]))

    def without_pods(self, pods: Iterable[Pod]) -> "State":
        """As if these bound pods were gone; a pod that is gone already makes no difference."""
        emptied: dict[str, NodeInfo] = {}
        for pod in pods:
            if pod.node not in emptied and pod.node in self.nodes:
                emptied[pod.node] = self.info(pod.node).copy()
            if pod.node in emptied and pod in emptied[pod.node].pods:
                emptied[pod.node].remove(pod)
        return self._with(*emptied.values())

    def with_node(self, node: Node) -> "State":
        """As if that node, which exists, had other labels, taints or resources."""
        old = self.info(node.name)
        return self._with(NodeInfo(node, old.pods, old.requested, old.priorities))

    def with_new_node(self, node: Node, pods: Iterable[Pod] = ()) -> "State":
        """As if that node were there too, with these pods on it. Raises ValueError where one of its name exists."""
        if node.name in self.nodes:
            raise ValueError(f"node {node.name} exists already")
        return self._with(_filled(NodeInfo(node, (), {}), pods))

    def _with(self, *infos: NodeInfo) -> "State":
        """The same cluster, but for these nodes."""
        fresh = {info.node.name: info for info in infos}
        others = {name: info.node for name, info in fresh.items() if info.node is not self.nodes.get(name)}
        nodes = {**self.nodes, **others} if others else self.nodes
        return State(self.view, {**self.changed, **fresh}, nodes, self.snapshot)


def _filled(info: NodeInfo, pods: Iterable[Pod]) -> NodeInfo:
    """A copy with these pods on it as well."""
    other = info.copy()
    for pod in pods:
        other.add(msgspec.structs.replace(pod, node=info.node.name))
    return other
