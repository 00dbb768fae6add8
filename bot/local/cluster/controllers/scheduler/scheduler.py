"""A small kube-scheduler: one profile, its filters, its messages, its preemption.

Not here: topology spread, pod affinity and volumes. A pod that asks for them is placed as if it did not.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.local.cluster.clock import Clock, rfc3339
from bot.local.cluster.controllers.access import PODS, Access, Key, Obj, key_of
from bot.local.cluster.controllers.conditions import condition, with_condition
from bot.local.cluster.controllers.events import Recorder
from bot.local.cluster.controllers.loop import Queue, mark_all
from bot.local.cluster.controllers.scheduler.backoff import Backoff
from bot.local.cluster.controllers.scheduler.claims import Claims
from bot.local.cluster.controllers.scheduler.filters import reject
from bot.local.cluster.controllers.scheduler.message import event_text, fit_error
from bot.local.cluster.controllers.scheduler.node import view_node
from bot.local.cluster.controllers.scheduler.pod import PodView, view_pod
from bot.local.cluster.controllers.scheduler.preemption import Preemption, preempt
from bot.local.cluster.controllers.scheduler.score import score
from bot.local.cluster.controllers.scheduler.snapshot import Snapshot
from bot.local.cluster.store import Change

NAME = "default-scheduler"
FLUSH_SECONDS = 300.0  # kube-scheduler looks again after five minutes even if nothing happened
FLUSH: Key = ("", "")  # no pod's key


class Scheduler:
    name = NAME

    def __init__(self, access: Access, clock: Clock, recorder: Recorder, queue: Queue) -> None:
        self._access, self._clock, self._recorder, self._queue = access, clock, recorder, queue
        self._claims = Claims(access)
        self._snapshot = Snapshot(score)
        self._waiting: dict[Key, PodView] = {}
        self._backoff = Backoff(clock)
        queue.order = self._turn
        queue.mark_after(FLUSH_SECONDS, FLUSH)

    # what happens in the cluster

    def observe(self, change: Change) -> None:
        if change.resource.key == ("", "pods"):
            self._observe_pod(change)
        elif change.resource.key == ("", "nodes"):
            self._observe_node(change)
        elif change.resource.group == "resource.k8s.io":
            self._retry(claims_only=True)

    def _observe_pod(self, change: Change) -> None:
        obj = change.new
        key = key_of(obj)
        if change.type == "DELETED" or (obj.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            self._forget(key, obj)
        elif obj["spec"].get("nodeName"):
            self._waiting.pop(key, None)
            if not change.old or _placement_changed(change.old, obj):
                self._snapshot.put_pod(view_pod(obj))
        elif obj["spec"].get("schedulerName", NAME) == NAME and not obj["spec"].get("schedulingGates"):
            self._await(key, view_pod(obj))

    def _observe_node(self, change: Change) -> None:
        obj = change.new
        if change.type == "DELETED":
            self._snapshot.drop_node(obj["metadata"]["name"])
            self._retry()
        elif self._snapshot.put_node(view_node(obj)):
            self._retry()

    def _forget(self, key: Key, obj: Mapping[str, Any]) -> None:
        self._backoff.forget(key)
        waited = self._waiting.pop(key, None)
        if self._snapshot.drop_pod(key) or waited:
            self._retry()
        if obj["spec"].get("resourceClaims"):
            self._claims.release(obj["metadata"]["uid"], key[0])

    def _await(self, key: Key, pod: PodView) -> None:
        known = self._waiting.get(key)
        self._waiting[key] = pod
        if pod.nominated_node and not pod.terminating:
            self._snapshot.nominate(pod)
        if known is None or replace(known, nominated_node="") != replace(pod, nominated_node=""):
            self._queue.mark(key)

    def _retry(self, *, claims_only: bool = False) -> None:
        for key, pod in self._waiting.items():
            if pod.claims or not claims_only:
                self._backoff.mark(self._queue, key)

    # what the scheduler does about it

    def reconcile(self, key: Key) -> None:
        if key == FLUSH:
            self._queue.mark_after(FLUSH_SECONDS, FLUSH)
            mark_all(self._queue, self._waiting)
            return
        pod = self._waiting.get(key)
        if pod is None or pod.terminating or self._claims.missing(pod):
            return
        more = (self._claims.filter,) if pod.claims else ()
        if node := self._snapshot.best(pod, more):
            self._bind(pod, node.name)
        else:
            self._refuse(pod, {n: r for n, v in self._snapshot.nodes.items() if (r := reject(pod, v, more))})

    def _bind(self, pod: PodView, node_name: str) -> None:
        obj = self._access.find(PODS, pod.key)
        if obj is None:
            return
        self._claims.reserve(pod, node_name)
        bound = {k: v for k, v in (obj.get("status") or {}).items() if k != "nominatedNodeName"}
        now = rfc3339(self._clock.now())
        bound["conditions"] = with_condition(bound.get("conditions"), {"type": "PodScheduled", "status": "True"}, now)
        self._access.bind(obj, node_name, bound)
        text = f"Successfully assigned {pod.key[0]}/{pod.key[1]} to {node_name}"
        self._recorder.record(obj, NAME, "Scheduled", text)

    def _refuse(self, pod: PodView, rejections: Mapping[str, Any]) -> None:
        obj = self._access.find(PODS, pod.key)
        if obj is None:
            return
        found = preempt(pod, self._snapshot.nodes, rejections) if rejections else ""
        tail = None if isinstance(found, Preemption) else found
        message = fit_error(rejections, claims=bool(pod.claims), preemption=tail)
        nominated = found.node if isinstance(found, Preemption) else pod.nominated_node
        self._tell(obj, message, nominated)
        if isinstance(found, Preemption):
            self._evict(found, by=obj)
        self._backoff.failed(pod.key)

    def _tell(self, obj: Obj, message: str, nominated: str) -> None:
        self._recorder.record(obj, NAME, "FailedScheduling", event_text(message), warning=True)
        old = condition(obj, "PodScheduled") or {}
        status = obj.get("status") or {}
        if (old.get("message"), status.get("nominatedNodeName", "")) == (message, nominated):
            return
        new = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
        now = rfc3339(self._clock.now())
        told = {**status, "phase": "Pending", "conditions": with_condition(status.get("conditions"), new, now)}
        if nominated:
            told["nominatedNodeName"] = nominated
        self._access.put_status(PODS, obj, told)

    def _evict(self, found: Preemption, by: Obj) -> None:
        for victim in found.victims:
            obj = self._access.find(PODS, victim.key)
            if obj is None or victim.terminating:
                continue
            text = f"{NAME}: preempting to accommodate a higher priority pod"
            new = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler", "message": text}
            status = obj.get("status") or {}
            told = with_condition(status.get("conditions"), new, rfc3339(self._clock.now()))
            self._access.put_status(PODS, obj, {**status, "conditions": told})
            self._access.delete(PODS, victim.key)
            note = f"Preempted by pod {by['metadata']['uid']} on node {found.node}"
            self._recorder.record(obj, NAME, "Preempted", note)

    def _turn(self, key: Key) -> tuple[int, str, Key]:
        pod = self._waiting.get(key)
        return (-pod.priority, pod.created, key) if pod else (0, "", key)


def _placement_changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a bound pod now takes something else; its status changes far more often than that."""
    if old["spec"] is not new["spec"] and old["spec"] != new["spec"]:
        return True
    return bool(old["metadata"].get("deletionTimestamp")) != bool(new["metadata"].get("deletionTimestamp"))
