"""One node as filters see it, and copies of it on which pods come and go.

kubernetes/kube-scheduler:framework/types.go (NodeInfo) has the original.
"""

from collections.abc import Collection, Iterable, Mapping

import msgspec

from bot.domain.node import Node
from bot.domain.pod import FINISHED, Pod
from bot.domain.pod_spec import HostPort


class NodeInfo(msgspec.Struct, eq=False, gc=False):
    """One node and what is on it: thousands are made per question.

    pods: finished ones may be among them, so read `live`. requested: what they ask for, and how many they are, under
    `pods`. priorities: how many pods of each there are, where that is known.
    """

    node: Node
    pods: Collection[Pod]
    requested: Mapping[str, int]
    priorities: Mapping[int, int] | None = None
    _ports: set[HostPort] | None = None

    @property
    def live(self) -> list[Pod]:
        """The pods that the scheduler counts, terminating ones included."""
        return [pod for pod in self.pods if pod.phase not in FINISHED]

    def any_below(self, priority: int) -> bool:
        """Whether a pod of lower priority is here."""
        if self.priorities is not None:
            return min(self.priorities, default=priority) < priority
        return any(pod.priority < priority for pod in self.live)

    @property
    def ports(self) -> set[HostPort]:
        """Host ports in use. A set as in the scheduler: of two pods with one port the end of either frees it."""
        if self._ports is None:
            self._ports = {port for pod in self.live for port in pod.spec.host_ports}
        return self._ports

    def copy(self) -> "NodeInfo":
        """One that may be changed with `add` and `remove`."""
        ports = None if self._ports is None else set(self._ports)
        return NodeInfo(self.node, set(self.live), dict(self.requested), None, ports)

    def keeping(self, stay: Collection[Pod], gone: Iterable[Pod]) -> "NodeInfo":
        """A copy on which only some of its pods are; the others give their ports back."""
        other = NodeInfo(self.node, set(stay), {})
        for pod in stay:
            other._count(pod, +1)
        freed = {port for pod in gone for port in pod.spec.host_ports}
        if freed:
            other._ports = self.ports - freed
        return other

    def add(self, pod: Pod) -> None:
        """Only for a copy."""
        ports = self.ports if pod.spec.host_ports else self._ports
        self.pods.add(pod)  # type: ignore[attr-defined]  # a copy's is a set
        self._count(pod, +1)
        if ports is not None:
            ports.update(pod.spec.host_ports)

    def remove(self, pod: Pod) -> None:
        """Only for a copy, and a pod that is there."""
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
