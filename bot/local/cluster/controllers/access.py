"""How controllers read and write the cluster: in process, each write under the name of its controller."""

from collections.abc import Mapping
from typing import Any

from bot.local.cluster.store import RESOURCES, ApiError, Resource, Store

Obj = dict[str, Any]
Key = tuple[str, str]  # namespace ("" for cluster-wide kinds), name

PODS = RESOURCES["", "pods"]
NODES = RESOURCES["", "nodes"]
EVENTS = RESOURCES["", "events"]
LEASES = RESOURCES["coordination.k8s.io", "leases"]
DEPLOYMENTS = RESOURCES["apps", "deployments"]
REPLICASETS = RESOURCES["apps", "replicasets"]
STATEFULSETS = RESOURCES["apps", "statefulsets"]
DAEMONSETS = RESOURCES["apps", "daemonsets"]
REVISIONS = RESOURCES["apps", "controllerrevisions"]
JOBS = RESOURCES["batch", "jobs"]
BUDGETS = RESOURCES["policy", "poddisruptionbudgets"]
CLAIMS = RESOURCES["resource.k8s.io", "resourceclaims"]
SLICES = RESOURCES["resource.k8s.io", "resourceslices"]
DEVICE_CLASSES = RESOURCES["resource.k8s.io", "deviceclasses"]

NOT_FOUND, CONFLICT = 404, 409


def key_of(obj: Mapping[str, Any]) -> Key:
    meta = obj["metadata"]
    return meta.get("namespace") or "", meta["name"]


class Access:
    """Objects that come out of it are shared with the store: read them, never change them."""

    def __init__(self, store: Store, manager: str) -> None:
        self._store, self._manager = store, manager

    def find(self, resource: Resource, key: Key) -> Obj | None:
        try:
            return self._store.get(resource, *key)
        except ApiError as error:
            if error.code == NOT_FOUND:
                return None
            raise

    def children(self, uid: str, resource: Resource) -> list[Obj]:
        """The objects of one kind that name `uid` as an owner."""
        found = (
            self.find(resource, (r.namespace, r.name)) for r in self._store.children(uid) if r.resource == resource.key
        )
        return [child for child in found if child]

    def all_of(self, resource: Resource, namespace: str = "") -> list[Obj]:
        """All of a kind, or of a kind in one namespace."""
        return self._store.list(resource, namespace)

    def bind(self, pod: Obj, node_name: str, status: Obj) -> None:
        """Status first: whoever sees the pod on its node sees that it has been scheduled."""
        bound = self.put_status(PODS, pod, status)
        self.put(PODS, {**bound, "spec": {**bound["spec"], "nodeName": node_name}})

    def create(self, resource: Resource, namespace: str, obj: Obj) -> Obj:
        return self._store.create(resource, namespace, obj, manager=self._manager)

    def put(self, resource: Resource, obj: Obj) -> Obj:
        """Replace all but status. Raises ApiError 409 if `obj` is not the newest."""
        return self._store.update(resource, *key_of(obj), obj, manager=self._manager)

    def put_status(self, resource: Resource, obj: Obj, status: Obj) -> Obj:
        new = {**obj, "status": status}
        return self._store.update(resource, *key_of(obj), new, subresource="status", manager=self._manager)

    def end(self, pod: Obj) -> None:
        """Delete a pod without waiting for its kubelet."""
        self.delete(PODS, key_of(pod), grace_seconds=0)

    def delete(self, resource: Resource, key: Key, *, grace_seconds: int | None = None) -> None:
        """By default with the object's own grace period; nothing to do if it has gone already."""
        try:
            self._store.delete(resource, *key, grace_seconds=grace_seconds)
        except ApiError as error:
            if error.code != NOT_FOUND:
                raise
