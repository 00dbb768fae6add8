"""Volume claims: a claim whose class is there gets a volume at once, as large as it asks for.

Source: kubernetes/kubernetes:pkg/controller/volume/persistentvolume/. Where a pod runs plays no part here: every volume
can be reached from every node.
"""

from bot.local.cluster.controllers.access import Key, Obj, key_of
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.store import RESOURCES, Change

CLAIMS = RESOURCES["", "persistentvolumeclaims"]
VOLUMES = RESOURCES["", "persistentvolumes"]
CLASSES = RESOURCES["storage.k8s.io", "storageclasses"]
DEFAULT = "storageclass.kubernetes.io/is-default-class"


class ClaimController:
    name = "persistentvolume"

    def __init__(self, context: Context) -> None:
        self._access, self._queue = context.access, context.queue

    def observe(self, change: Change) -> None:
        if change.resource.key == CLAIMS.key and change.type != "DELETED":
            self._queue.mark(key_of(change.new))

    def reconcile(self, key: Key) -> None:
        claim = self._access.find(CLAIMS, key)
        if claim is None or (claim.get("status") or {}).get("phase") == "Bound":
            return
        chosen = self._class_of(claim)
        if chosen is None:
            return
        name = f"pvc-{claim['metadata']['uid']}"
        if self._access.find(VOLUMES, ("", name)) is None:
            made = self._access.create(VOLUMES, "", _volume(name, claim, chosen))
            self._access.put_status(VOLUMES, made, {"phase": "Bound"})
        spec = {**claim["spec"], "volumeName": name, "storageClassName": chosen}
        bound = self._access.put(CLAIMS, {**claim, "spec": spec})
        status = {"phase": "Bound", "accessModes": spec["accessModes"], "capacity": _asked(claim)}
        self._access.put_status(CLAIMS, bound, status)

    def _class_of(self, claim: Obj) -> str | None:
        """The one that it names, or the cluster's default; None where there is none."""
        wanted = claim["spec"].get("storageClassName")
        for one in self._access.all_of(CLASSES):
            annotations = one["metadata"].get("annotations") or {}
            if one["metadata"]["name"] == wanted or (not wanted and annotations.get(DEFAULT) == "true"):
                return str(one["metadata"]["name"])
        return None


def _asked(claim: Obj) -> Obj:
    return {"storage": claim["spec"]["resources"]["requests"]["storage"]}


def _volume(name: str, claim: Obj, chosen: str) -> Obj:
    named = {key: claim["metadata"][key] for key in ("namespace", "name", "uid")}
    reference = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", **named}
    return {
        "metadata": {"name": name},
        "spec": {
            "capacity": _asked(claim),
            "accessModes": claim["spec"]["accessModes"],
            "storageClassName": chosen,
            "persistentVolumeReclaimPolicy": "Delete",
            "claimRef": reference,
            "csi": {"driver": "sim.gpubot.dev", "volumeHandle": name},
        },
    }
