"""A node as the scheduler sees it: what it offers and what is taken, kept up to date pod by pod."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.local.cluster.controllers.quantity import amounts
from bot.local.cluster.controllers.scheduler.pod import PodKey, PodView, Port


@dataclass(slots=True)
class NodeView:
    name: str
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, Any], ...]
    unschedulable: bool
    allocatable: Mapping[str, int]
    pods: dict[PodKey, PodView] = field(default_factory=dict)
    nominated: dict[PodKey, PodView] = field(default_factory=dict)  # promised to these, not theirs yet
    requested: dict[str, int] = field(default_factory=dict)

    def offers_the_same(self, other: "NodeView") -> bool:
        """Nothing that a filter reads differs: a heartbeat, not a change."""
        return (self.labels, self.taints, self.unschedulable, self.allocatable) == (
            other.labels, other.taints, other.unschedulable, other.allocatable,
        )  # fmt: skip

    def add(self, pod: PodView) -> None:
        self.pods[pod.key] = pod
        for name, value in pod.requests.items():
            self.requested[name] = self.requested.get(name, 0) + value

    def remove(self, key: PodKey) -> None:
        if pod := self.pods.pop(key, None):
            for name, value in pod.requests.items():
                self.requested[name] -= value

    def free(self, resource: str) -> int:
        return self.allocatable.get(resource, 0) - self.requested.get(resource, 0)

    def ports(self) -> set[Port]:
        return {port for pod in self.pods.values() for port in pod.ports}

    def without(self, victims: Iterable[PodKey]) -> "NodeView":
        """A copy for trying things out."""
        copy = NodeView(
            self.name, self.labels, self.taints, self.unschedulable, self.allocatable,
            dict(self.pods), dict(self.nominated), dict(self.requested),
        )  # fmt: skip
        for key in victims:
            copy.remove(key)
        return copy

    def as_promised_to_others(self, pod: PodView) -> "NodeView":
        """With the pods that were nominated to this node and rank no lower than `pod`."""
        ahead = [n for n in self.nominated.values() if n.key != pod.key and n.priority >= pod.priority]
        if not ahead:
            return self
        copy = self.without(())
        for other in ahead:
            copy.add(other)
        return copy


def view_node(node: Mapping[str, Any]) -> NodeView:
    meta, spec, status = node["metadata"], node.get("spec") or {}, node.get("status") or {}
    return NodeView(
        name=meta["name"],
        labels=meta.get("labels") or {},
        taints=tuple(
            {"key": t["key"], "value": t.get("value", ""), "effect": t["effect"]} for t in spec.get("taints") or ()
        ),
        unschedulable=bool(spec.get("unschedulable")),
        allocatable=amounts(status.get("allocatable")),
    )
