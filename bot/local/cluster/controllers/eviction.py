"""Pods that leave: those that do not tolerate a NoExecute taint, and those whose node is gone.

Source: kubernetes/kubernetes:pkg/controller/tainteviction/ and pkg/controller/podgc/.
"""

from datetime import timedelta
from typing import Any

from bot.local.cluster.controllers.access import NODES, PODS, Key, Obj, key_of
from bot.local.cluster.controllers.conditions import with_condition
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.pods import parse_time
from bot.local.cluster.controllers.scheduler.taints import toleration_seconds
from bot.local.cluster.store import Change


class EvictionController:
    """Keys are nodes; a node is looked at when its taints change, when it goes, and when a toleration runs out."""

    name = "taint-eviction-controller"

    def __init__(self, context: Context) -> None:
        self._context = context

    def observe(self, change: Change) -> None:
        if change.resource.key == NODES.key:
            old, new = change.old or {"spec": {}}, change.new
            if change.type == "DELETED" or old["spec"].get("taints") != new["spec"].get("taints"):
                self._context.queue.mark(("", new["metadata"]["name"]))

    def reconcile(self, key: Key) -> None:
        node = self._context.access.find(NODES, key)
        pods = self._context.owned.on_node(key[1])
        if node is None:
            for pod in pods:
                self._collect(pod)
            return
        taints = [t for t in node["spec"].get("taints") or () if t["effect"] == "NoExecute"]
        for pod in pods if taints else ():
            if not pod["metadata"].get("deletionTimestamp"):
                self._judge(key, pod, taints)

    def _judge(self, key: Key, pod: Obj, taints: list[Obj]) -> None:
        now, waits = self._context.clock.now(), []
        for taint in taints:
            seconds = toleration_seconds(pod["spec"].get("tolerations") or (), taint)
            if seconds is not None:
                since = parse_time(taint["timeAdded"]) if taint.get("timeAdded") else now
                waits.append((since + timedelta(seconds=seconds) - now).total_seconds())
        if not waits:
            return
        if min(waits) > 0:
            self._context.queue.mark_after(min(waits), key)
            return
        self._target(pod, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint")
        self._context.access.delete(PODS, key_of(pod))
        text = f"Marking for deletion Pod {pod['metadata']['namespace']}/{pod['metadata']['name']}"
        self._context.recorder.record(pod, self.name, "TaintManagerEviction", text)

    def _collect(self, pod: Obj) -> None:
        """The node is gone, so nobody will say that the pod has ended."""
        self._target(pod, "DeletionByPodGC", "PodGC: node no longer exists")
        self._context.access.end(pod)

    def _target(self, pod: Obj, reason: str, message: str) -> None:
        new: dict[str, Any] = {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": message}
        status = pod.get("status") or {}
        told = {**status, "conditions": with_condition(status.get("conditions"), new, self._context.now())}
        self._context.access.put_status(PODS, pod, told)
