"""What filters read: the cluster as the scheduler's snapshot has it, and cheap "what if" copies of it.

A `State` holds no copy of the cluster. It reads the view's indexes, and keeps a `NodeInfo` only for nodes that were
changed (`with_pod`, `without_pods`, `with_node`). A state is good for as long as its view does not change: make one per
question. kubernetes/kubernetes:pkg/scheduler/backend/cache/snapshot.go has the original.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from bot.domain.node import Node
from bot.domain.pod import FINISHED, Pod
from bot.domain.pod_spec import HostPort
from bot.domain.record import NONE, Labels
from bot.domain.view import View

DEFAULT_SCHEDULER = "default-scheduler"
IMPLICIT_RESOURCE = "deviceclass.resource.kubernetes.io/"


class NodeInfo:
    """One node and what is on it. `requested` counts the pods too, under `pods`."""

    __slots__ = ("_ports", "node", "pods", "priorities", "requested")

    def __init__(
        self,
        node: Node,
        pods: Collection[Pod],
        requested: Mapping[str, int],
        priorities: Mapping[int, int] | None = None,
    ) -> None:
        self.node = node
        self.pods = pods  # finished ones may be among them: read `live`
        self.requested = requested
        self.priorities = priorities  # how many pods of each there are, where that is known
        self._ports: set[HostPort] | None = None

    @property
    def live(self) -> list[Pod]:
        """The pods that the scheduler counts, terminating ones included."""
        return [pod for pod in self.pods if pod.phase not in FINISHED]

    def any_below(self, priority: int) -> bool:
        """Whether a pod of lower priority is here."""
        if self.priorities is not None:
            return any(one < priority for one in self.priorities)
        return any(pod.priority < priority for pod in self.live)

    @property
    def ports(self) -> set[HostPort]:
        """Host ports in use. A set as in the scheduler: of two pods with one port the end of either frees it."""
        if self._ports is None:
            self._ports = {port for pod in self.live for port in pod.spec.host_ports}
        return self._ports

    def copy(self) -> "NodeInfo":
        """One that may be changed with `add` and `remove`."""
        other = NodeInfo(self.node, set(self.live), dict(self.requested))
        other._ports = None if self._ports is None else set(self._ports)
        return other

    def add(self, pod: Pod) -> None:
        """Only for a copy."""
        ports = self.ports if pod.spec.host_ports else self._ports
        self.pods.add(pod)  # type: ignore[attr-defined]  # a copy's is a set
        self._count(pod, +1)
        if ports is not None:
            ports.update(pod.spec.host_ports)

    def remove(self, pod: Pod) -> None:
        """Only for a copy."""
        ports = self.ports if pod.spec.host_ports else self._ports
        self.pods.discard(pod)  # type: ignore[attr-defined]  # a copy's is a set
        self._count(pod, -1)
        if ports is not None:
            ports.difference_update(pod.spec.host_ports)

    def _count(self, pod: Pod, sign: int) -> None:
        requested: dict[str, int] = self.requested  # type: ignore[assignment]  # a copy's is a dict
        for resource, value in pod.requests.items():
            requested[resource] = requested.get(resource, 0) + sign * value
        requested["pods"] = requested.get("pods", 0) + sign


class State:
    """A view as filters read it. `changed` are the nodes that differ from the view."""

    def __init__(self, view: View, changed: Mapping[str, NodeInfo] | None = None) -> None:
        self.view = view
        self.changed: Mapping[str, NodeInfo] = changed or {}
        self._infos: dict[str, NodeInfo] = dict(self.changed)

    # ---- reading -------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Iterable[str]:
        """Names of all nodes."""
        return self.view.nodes

    def info(self, name: str) -> NodeInfo:
        """The node of that name, which must exist."""
        found = self._infos.get(name)
        if found is None:
            view = self.view
            found = self._infos[name] = NodeInfo(
                view.nodes[name], view.on_node(name), view.requested_on(name), view.priorities.get(name, {})
            )
        return found

    def infos(self) -> Iterator[NodeInfo]:
        return map(self.info, self.view.nodes)

    def find(self, name: str) -> NodeInfo | None:
        """As `info`; None for a node that does not exist."""
        return self.info(name) if name in self.view.nodes else None

    def namespace_labels(self, name: str) -> Labels:
        namespace = self.view.namespaces.get(name)
        return namespace.labels if namespace else NONE

    def nominees(self, node: str) -> Collection[Pod]:
        """Pods that wait for that node (status.nominatedNodeName), of the default scheduler."""
        return self.nominated.get(node, ())

    def placed(self, namespaces: Collection[str] | None) -> Iterator[Pod]:
        """Pods that the scheduler counts in these namespaces, None for all; pods of other ones may be among them."""
        changed = self.changed
        for pods in (*self.view.pods_by_owner.values(), self.view.unowned):
            if namespaces is None or _some_in(pods, namespaces):
                for pod in pods:
                    if pod.node and pod.phase not in FINISHED and pod.node not in changed:
                        yield pod
        for info in changed.values():
            yield from info.live

    def repelling(self) -> Iterator[tuple[Pod, Node]]:
        """Pods with required anti-affinity, and where they are."""
        nodes = self.view.nodes
        for pod in self.view.repelling:
            if pod.node not in self.changed and pod.occupies and (node := nodes.get(pod.node)) is not None:
                yield pod, node
        for info in self.changed.values():
            yield from ((pod, info.node) for pod in info.live if pod.spec.anti_affinity)

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
        """Those of `nominees` by node."""
        found: dict[str, list[Pod]] = {}
        for pod in self.view.waiting:
            if pod.nominated and pod.scheduler in ("", DEFAULT_SCHEDULER):
                found.setdefault(pod.nominated, []).append(pod)
        return found

    # ---- what if -------------------------------------------------------------------------------------------------

    def with_pod(self, pod: Pod, node: str) -> "State":
        """As if the pod were on that node."""
        info = self.info(node).copy()
        info.add(msgspec.structs.replace(pod, node=node))
        return State(self.view, {**self.changed, node: info})

    def without_pods(self, pods: Iterable[Pod]) -> "State":
        """As if these bound pods were gone."""
        changed = dict(self.changed)
        fresh: set[str] = set()
        for pod in pods:
            if pod.node not in fresh:
                fresh.add(pod.node)
                changed[pod.node] = self.info(pod.node).copy()
            changed[pod.node].remove(pod)
        return State(self.view, changed)

    def with_node(self, node: Node) -> "State":
        """As if that node, which exists, had other labels, taints or resources."""
        old = self.info(node.name)
        return State(self.view, {**self.changed, node.name: NodeInfo(node, old.pods, old.requested)})


def _some_in(pods: Collection[Pod], namespaces: Collection[str]) -> bool:
    """Pods of one owner are in its namespace; only owners without one (nodes, of mirror pods) have them in several."""
    for pod in pods:
        return pod.owner is None or pod.owner.kind == "Node" or pod.namespace in namespaces
    return False
