"""ReplicaSets: as many pods of a template as asked for."""

from datetime import timedelta

from bot.local.cluster.controllers.access import PODS, REPLICASETS, Key, Obj, key_of
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.owned import PodSet, controller_of
from bot.local.cluster.controllers.pods import available_since, first_to_go, pod_from
from bot.local.cluster.store import ApiError, Change

AT_ONCE = 250  # pods made or ended in one look, so that other controllers get their turn


class ReplicaSetController:
    name = "replicaset-controller"

    def __init__(self, context: Context) -> None:
        self._context = context

    def observe(self, change: Change) -> None:
        obj = change.new
        if change.resource.key == REPLICASETS.key and change.type != "DELETED":
            self._context.queue.mark(key_of(obj))
        elif change.resource.key == PODS.key:
            owner = controller_of(obj)
            if owner and owner["kind"] == "ReplicaSet":
                self._context.queue.mark((obj["metadata"]["namespace"], owner["name"]))

    def reconcile(self, key: Key) -> None:
        found = self._context.access.find(REPLICASETS, key)
        if found is None:
            return
        pods = self._context.owned.of(found["metadata"]["uid"])
        if not found["metadata"].get("deletionTimestamp"):
            self._scale(found, pods)
        self._write_status(found, pods)

    def _scale(self, found: Obj, pods: PodSet) -> None:
        missing = found["spec"].get("replicas", 1) - len(pods.active)
        for _ in range(min(missing, AT_ONCE)):
            try:
                pod = self._context.access.create(
                    PODS, found["metadata"]["namespace"], pod_from(found["spec"]["template"], found)
                )
            except ApiError as error:
                self._event(found, "FailedCreate", f"Error creating: {error}", warning=True)
                raise
            self._event(found, "SuccessfulCreate", f"Created pod: {pod['metadata']['name']}")
        for key in first_to_go(pods.active, pods.ready)[: min(-missing, AT_ONCE)] if missing < 0 else ():
            self._context.access.delete(PODS, key)
            self._event(found, "SuccessfulDelete", f"Deleted pod: {key[1]}")
        if abs(missing) > AT_ONCE:
            self._context.queue.mark(key_of(found))

    def _write_status(self, found: Obj, pods: PodSet) -> None:
        available = self._available(found, pods)
        status = {
            "replicas": len(pods.active),
            "fullyLabeledReplicas": len(pods.active),
            "readyReplicas": len(pods.ready),
            "availableReplicas": available,
            "observedGeneration": found["metadata"].get("generation", 1),
        }
        if status != {k: v for k, v in (found.get("status") or {}).items() if k in status}:
            newest = self._context.access.find(REPLICASETS, key_of(found))
            if newest:
                self._context.access.put_status(REPLICASETS, newest, {**(newest.get("status") or {}), **status})

    def _available(self, found: Obj, pods: PodSet) -> int:
        seconds = found["spec"].get("minReadySeconds", 0)
        if not seconds:
            return len(pods.ready)
        ripe = self._context.clock.now() - timedelta(seconds=seconds)
        since = [at for key in pods.ready if (at := available_since(pods.active[key]))]
        young = [at for at in since if at > ripe]
        if young:
            self._context.queue.mark_after((min(young) - ripe).total_seconds() + 0.1, key_of(found))
        return len(since) - len(young)

    def _event(self, found: Obj, reason: str, text: str, *, warning: bool = False) -> None:
        self._context.recorder.record(found, self.name, reason, text, warning=warning)
