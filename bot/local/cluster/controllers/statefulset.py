"""StatefulSets: numbered pods, one after another unless they are told to come at once.

Not here: volumeClaimTemplates make no claims. Source: kubernetes/kubernetes:pkg/controller/statefulset/.
"""

from bot.local.cluster.controllers.access import PODS, STATEFULSETS, Key, Obj, key_of
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.owned import PodSet, controller_of
from bot.local.cluster.controllers.pods import pod_from
from bot.local.cluster.controllers.revisions import LABEL, ensure_revision
from bot.local.cluster.store import Change

NAME_LABEL, INDEX_LABEL = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"


class StatefulSetController:
    name = "statefulset-controller"

    def __init__(self, context: Context) -> None:
        self._context = context

    def observe(self, change: Change) -> None:
        obj = change.new
        if change.resource.key == STATEFULSETS.key and change.type != "DELETED":
            self._context.queue.mark(key_of(obj))
        elif change.resource.key == PODS.key:
            owner = controller_of(obj)
            if owner and owner["kind"] == "StatefulSet":
                self._context.queue.mark((obj["metadata"]["namespace"], owner["name"]))

    def reconcile(self, key: Key) -> None:
        found = self._context.access.find(STATEFULSETS, key)
        if found is None or found["metadata"].get("deletionTimestamp"):
            return
        revision = f"{found['metadata']['name']}-{ensure_revision(self._context, found)}"
        pods = self._context.owned.of(found["metadata"]["uid"])
        self._settle(found, pods, revision)
        self._write_status(found, pods, revision)

    def _settle(self, found: Obj, pods: PodSet, revision: str) -> None:
        ordered = found["spec"].get("podManagementPolicy", "OrderedReady") == "OrderedReady"
        self._replace_failed(pods)
        for ordinal in _ordinals(found):
            key = (found["metadata"]["namespace"], f"{found['metadata']['name']}-{ordinal}")
            if key not in pods.everything():
                self._make(found, ordinal, revision)
            if ordered and key not in pods.ready:
                return
        if not self._shrink(found, pods, ordered=ordered):
            self._update(found, pods, revision)

    def _make(self, found: Obj, ordinal: int, revision: str) -> None:
        name = f"{found['metadata']['name']}-{ordinal}"
        labels = {NAME_LABEL: name, INDEX_LABEL: str(ordinal), LABEL: self._revision_for(found, ordinal, revision)}
        pod = pod_from(found["spec"]["template"], found, name=name, labels=labels)
        spec = {**pod["spec"], "hostname": name, "subdomain": found["spec"].get("serviceName", "")}
        self._context.access.create(PODS, found["metadata"]["namespace"], {**pod, "spec": spec})
        text = f"create Pod {name} in StatefulSet {found['metadata']['name']} successful"
        self._context.recorder.record(found, self.name, "SuccessfulCreate", text)

    def _revision_for(self, found: Obj, ordinal: int, revision: str) -> str:
        before = (found.get("status") or {}).get("currentRevision", "")
        return revision if ordinal >= _partition(found) or not before else before

    def _replace_failed(self, pods: PodSet) -> None:
        for key in (*pods.failed, *pods.succeeded):
            self._context.access.delete(PODS, key)

    def _shrink(self, found: Obj, pods: PodSet, *, ordered: bool) -> bool:
        """End the pods above the wanted number, the highest first. Returns whether any is left."""
        wanted = {f"{found['metadata']['name']}-{n}" for n in _ordinals(found)}
        surplus = sorted((k for k in pods.active if k[1] not in wanted), key=_ordinal, reverse=True)
        if ordered and any(k[1] not in wanted for k in pods.terminating):
            return True
        for key in surplus[:1] if ordered else surplus:
            self._end(found, key)
        return bool(surplus)

    def _update(self, found: Obj, pods: PodSet, revision: str) -> None:
        """Replace the pods of an old template, from the highest number down, each when those above it are ready."""
        if (found["spec"].get("updateStrategy") or {}).get("type") == "OnDelete":
            return
        for ordinal in reversed(_ordinals(found)):
            key = (found["metadata"]["namespace"], f"{found['metadata']['name']}-{ordinal}")
            if ordinal < _partition(found) or key in pods.terminating:
                return
            if key in pods.active and pods.active[key]["metadata"]["labels"].get(LABEL) != revision:
                self._end(found, key)
                return
            if key not in pods.ready:
                return

    def _end(self, found: Obj, key: Key) -> None:
        self._context.access.delete(PODS, key)
        text = f"delete Pod {key[1]} in StatefulSet {found['metadata']['name']} successful"
        self._context.recorder.record(found, self.name, "SuccessfulDelete", text)

    def _write_status(self, found: Obj, pods: PodSet, revision: str) -> None:
        old = found.get("status") or {}
        updated = sum(p["metadata"]["labels"].get(LABEL) == revision for p in pods.active.values())
        done = updated == len(_ordinals(found)) == len(pods.active)
        status = {
            "observedGeneration": found["metadata"].get("generation", 1),
            "replicas": len(pods.active) + len(pods.terminating),
            "readyReplicas": len(pods.ready),
            "availableReplicas": len(pods.ready),
            "updatedReplicas": updated,
            "currentReplicas": updated if done else len(pods.active) - updated,
            "currentRevision": revision if done else old.get("currentRevision", revision),
            "updateRevision": revision,
            "collisionCount": 0,
        }
        if status != old:
            self._context.access.put_status(STATEFULSETS, found, status)


def _ordinals(found: Obj) -> range:
    start = (found["spec"].get("ordinals") or {}).get("start", 0)
    return range(start, start + found["spec"].get("replicas", 1))


def _ordinal(key: Key) -> int:
    return int(key[1].rpartition("-")[2])


def _partition(found: Obj) -> int:
    rolling = (found["spec"].get("updateStrategy") or {}).get("rollingUpdate") or {}
    return int(rolling.get("partition", 0))
