"""Nodes that stop reporting, cordons as taints, and the pods that must leave.

Source: kubernetes/kubernetes:pkg/controller/nodelifecycle/ and pkg/controller/tainteviction/.
"""

from dataclasses import dataclass
from typing import Any

from bot.local.cluster.controllers.access import LEASES, NODES, PODS, Key, Obj
from bot.local.cluster.controllers.conditions import condition, with_condition
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.store import Change

LEASE_NAMESPACE = "kube-node-lease"
GRACE_SECONDS = 40.0  # kube-controller-manager's --node-monitor-grace-period, unless the lease itself lasts longer
LOOK_SECONDS = 5.0
SHORTEST_LOOK_REAL_SECONDS = 0.25  # of ours, however fast the clock runs
LOOK: Key = ("", "")  # no node's key
UNKNOWN = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
CONDITIONS = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
TAINTS = {
    "unschedulable": "node.kubernetes.io/unschedulable",
    "not-ready": "node.kubernetes.io/not-ready",
    "unreachable": "node.kubernetes.io/unreachable",
}


@dataclass(slots=True)
class _Heartbeat:
    renewed: str
    grace_seconds: float
    silent_seconds: float = 0.0


class NodeLifecycleController:
    name = "node-controller"

    def __init__(self, context: Context) -> None:
        self._context = context
        self._heartbeats: dict[str, _Heartbeat] = {}
        context.queue.mark_after(LOOK_SECONDS, LOOK)

    def observe(self, change: Change) -> None:
        name = change.new["metadata"]["name"]
        if change.resource.key == NODES.key:
            self._context.queue.mark(("", name))
        elif change.resource.key == LEASES.key and change.new["metadata"]["namespace"] == LEASE_NAMESPACE:
            self._hear(name, change.new, gone=change.type == "DELETED")

    def reconcile(self, key: Key) -> None:
        if key == LOOK:
            self._look()
        elif node := self._context.access.find(NODES, key):
            self._taint(node)

    def _hear(self, name: str, lease: Obj, *, gone: bool) -> None:
        if gone:
            self._heartbeats.pop(name, None)
            return
        spec = lease["spec"]
        grace = max(GRACE_SECONDS, spec.get("leaseDurationSeconds", 0))
        self._heartbeats[name] = _Heartbeat(spec.get("renewTime", ""), grace)

    def _look(self) -> None:
        """Silence is counted in looks, not by the clock: a clock that jumps must not condemn every node."""
        every = max(LOOK_SECONDS, SHORTEST_LOOK_REAL_SECONDS * self._context.clock.speed)
        for name, heartbeat in self._heartbeats.items():
            heartbeat.silent_seconds += every
            if heartbeat.silent_seconds >= heartbeat.grace_seconds:
                self._give_up(name)
        self._context.queue.mark_after(every, LOOK)

    def _give_up(self, name: str) -> None:
        node = self._context.access.find(NODES, ("", name))
        if node is None or (condition(node, "Ready") or {}).get("status") == "Unknown":
            return
        status, now = dict(node.get("status") or {}), self._context.now()
        for type_ in CONDITIONS:
            unknown = {"type": type_, "status": "Unknown", "reason": UNKNOWN[0], "message": UNKNOWN[1]}
            beat = (condition(node, type_) or {}).get("lastHeartbeatTime", now)
            status["conditions"] = with_condition(status.get("conditions"), unknown | {"lastHeartbeatTime": beat}, now)
        self._context.access.put_status(NODES, node, status)
        self._context.recorder.record(node, self.name, "NodeNotReady", f"Node {name} status is now: NodeNotReady")

    def _taint(self, node: Obj) -> None:
        """Exactly the taints that the node's state calls for; everybody else's are left alone."""
        old = node["spec"].get("taints") or []
        ours = TAINTS.values()
        wanted = [t for t in old if t["key"] not in ours] + [self._kept(t, old) for t in taints_for(node)]
        if wanted != old:
            spec = {k: v for k, v in node["spec"].items() if k != "taints"}
            self._context.access.put(NODES, {**node, "spec": {**spec, **({"taints": wanted} if wanted else {})}})
        ready = (condition(node, "Ready") or {}).get("status")
        if ready != "True" and node.get("status", {}).get("conditions"):
            self._mark_pods_not_ready(node)

    def _kept(self, taint: Obj, old: list[Obj]) -> Obj:
        same = next((t for t in old if (t["key"], t["effect"]) == (taint["key"], taint["effect"])), None)
        return same or {**taint, **({"timeAdded": self._context.now()})}

    def _mark_pods_not_ready(self, node: Obj) -> None:
        """A pod cannot be ready on a node that does not answer."""
        for pod in self._context.owned.on_node(node["metadata"]["name"]):
            ready = condition(pod, "Ready")
            if ready and ready["status"] == "True":
                new: dict[str, Any] = {"type": "Ready", "status": "False", "reason": "NodeNotReady"}
                status = pod["status"]
                told = {**status, "conditions": with_condition(status["conditions"], new, self._context.now())}
                self._context.access.put_status(PODS, pod, told)
                self._context.recorder.record(pod, self.name, "NodeNotReady", "Node is not ready", warning=True)


def taints_for(node: Obj) -> list[Obj]:
    found = []
    if node["spec"].get("unschedulable"):
        found.append({"key": TAINTS["unschedulable"], "effect": "NoSchedule"})
    ready = (condition(node, "Ready") or {}).get("status", "Unknown")
    if ready != "True":
        key = TAINTS["unreachable" if ready == "Unknown" else "not-ready"]
        found += [{"key": key, "effect": effect} for effect in ("NoSchedule", "NoExecute")]
    return found
