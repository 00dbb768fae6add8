"""How objects go: grace periods, finalizers, owners' dependents, whole namespaces.

Source: kubernetes/kubernetes:staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go and
pkg/controller/{garbagecollector,namespace}, whose work is done here in the same step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from bot.local.cluster.store import errors
from bot.local.cluster.store.custom import DEFINITIONS, resource_of
from bot.local.cluster.store.owners import ObjectRef
from bot.local.cluster.store.resources import RESOURCES, Resource
from bot.local.cluster.store.state import State

Json = dict[str, Any]
Propagation = Literal["Background", "Foreground", "Orphan"]
_NAMESPACES = RESOURCES["", "namespaces"]
_FOREGROUND = "foregroundDeletion"


class Deletion:
    """Removes objects from a state, and what must go with them."""

    def __init__(self, state: State, timestamp: Callable[[], str], graceful_pods: bool) -> None:
        self._state = state
        self._timestamp = timestamp
        self._graceful_pods = graceful_pods
        self._closing: set[str] = set()

    def delete(self, resource: Resource, obj: Json, grace_seconds: int | None, propagation: Propagation) -> Json:
        """Start or finish a deletion; return the object as it then is (or last was)."""
        dependents = self._state.owners.dependents(obj["metadata"]["uid"])
        if propagation == "Orphan":
            self._orphan(obj)
        waits = propagation == "Foreground" and bool(dependents)
        grace = self._grace(resource, obj, grace_seconds)
        if waits or grace > 0 or obj["metadata"].get("finalizers") or self._is_full(resource, obj):
            marked = self._mark(resource, obj, grace, _FOREGROUND if waits else "")
            if waits:
                self._collect(dependents, obj["metadata"]["uid"])
            elif resource is _NAMESPACES:
                self._empty(marked)
            return marked
        return self.remove(resource, obj)

    def settle(self, resource: Resource, obj: Json) -> bool:
        """Whether an object that was marked has nothing left to wait for."""
        metadata = obj["metadata"]
        if not metadata.get("deletionTimestamp") or metadata.get("finalizers"):
            return False
        return not metadata.get("deletionGracePeriodSeconds") and not self._is_full(resource, obj)

    def remove(self, resource: Resource, obj: Json) -> Json:
        """Take an object away for good, and collect its dependents."""
        last = self._state.commit("DELETED", resource, {**obj, "metadata": dict(obj["metadata"])})
        uid = obj["metadata"]["uid"]
        self._collect(self._state.owners.dependents(uid), uid)
        if resource is DEFINITIONS:
            self._stop_serving(resource_of(obj))
        self._release_owners(obj)
        if resource.namespaced:
            self._close(obj["metadata"]["namespace"])
        return last

    def _stop_serving(self, declared: Resource) -> None:
        entries = list(self._state.shelf(declared).walk())
        self._delete_all(ObjectRef(declared.key, *entry.key) for entry in entries)
        self._state.remove_resource(declared)

    def _grace(self, resource: Resource, obj: Json, asked: int | None) -> int:
        if resource.key != ("", "pods") or not self._graceful_pods or not obj["spec"].get("nodeName"):
            return 0
        if (obj.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            return 0
        own: int = obj["spec"].get("terminationGracePeriodSeconds") or 0
        grace = own if asked is None else max(0, asked)
        under_way: int | None = obj["metadata"].get("deletionGracePeriodSeconds")
        return grace if under_way is None else min(grace, under_way)

    def _mark(self, resource: Resource, obj: Json, grace: int, finalizer: str) -> Json:
        metadata = dict(obj["metadata"])
        finalizers = list(metadata.get("finalizers") or [])
        if finalizer and finalizer not in finalizers:
            metadata["finalizers"] = [*finalizers, finalizer]
        metadata.setdefault("deletionTimestamp", self._timestamp())
        metadata["deletionGracePeriodSeconds"] = grace
        if "generation" in metadata and "deletionTimestamp" not in obj["metadata"]:
            metadata["generation"] += 1
        marked = {**obj, "metadata": metadata}
        if resource is _NAMESPACES:
            marked["status"] = {**(obj.get("status") or {}), "phase": "Terminating"}
        return obj if marked == obj else self._state.commit("MODIFIED", resource, marked)

    def _orphan(self, owner: Json) -> None:
        uid = owner["metadata"]["uid"]
        for ref in self._state.owners.dependents(uid):
            self._drop_owners(ref, {uid})

    def _drop_owners(self, ref: ObjectRef, gone: set[str]) -> None:
        resource, obj = self._find(ref)
        left = [owner for owner in obj["metadata"]["ownerReferences"] if owner["uid"] not in gone]
        self._state.commit("MODIFIED", resource, {**obj, "metadata": {**obj["metadata"], "ownerReferences": left}})

    def _collect(self, refs: set[ObjectRef], owner_uid: str) -> None:
        """Delete the dependents of an owner that is going, unless another owner still holds them."""
        for ref in sorted(refs):
            resource = self._state.resources.get(ref.resource)
            if resource is None or (ref.namespace, ref.name) not in self._state.shelf(resource):
                continue
            obj = self._find(ref)[1]
            others = {owner["uid"] for owner in obj["metadata"].get("ownerReferences") or []} - {owner_uid}
            if any(self._state.owners.locate(uid) for uid in others):
                self._drop_owners(ref, {owner_uid})
            elif not obj["metadata"].get("deletionTimestamp"):
                self.delete(resource, obj, None, "Background")

    def _release_owners(self, obj: Mapping[str, Any]) -> None:
        """Let owners go that were waiting, in the foreground, for this last dependent."""
        for owner in obj["metadata"].get("ownerReferences") or []:
            ref = self._state.owners.locate(owner["uid"])
            if ref is None or self._state.owners.dependents(owner["uid"]):
                continue
            resource, waiting = self._find(ref)
            finalizers = waiting["metadata"].get("finalizers") or []
            if _FOREGROUND in finalizers:
                left = [finalizer for finalizer in finalizers if finalizer != _FOREGROUND]
                released = {**waiting, "metadata": {**waiting["metadata"], "finalizers": left}}
                if self.settle(resource, released):
                    self.remove(resource, released)
                else:
                    self._state.commit("MODIFIED", resource, released)

    def _is_full(self, resource: Resource, obj: Mapping[str, Any]) -> bool:
        return resource is _NAMESPACES and any(self._content(obj["metadata"]["name"]))

    def _content(self, namespace: str) -> Iterator[ObjectRef]:
        for resource in self._state.resources.values():
            if resource.namespaced:
                for entry in self._state.shelf(resource).walk(namespace):
                    yield ObjectRef(resource.key, *entry.key)

    def _empty(self, namespace: Json) -> None:
        name = namespace["metadata"]["name"]
        self._closing.add(name)
        self._delete_all(list(self._content(name)))

    def _delete_all(self, refs: Iterable[ObjectRef]) -> None:
        for ref in refs:
            resource = self._state.resources[ref.resource]
            if (ref.namespace, ref.name) in self._state.shelf(resource):  # one deletion can take others along
                self.delete(resource, self._find(ref)[1], None, "Background")

    def _close(self, name: str) -> None:
        """Finish a namespace whose last object has just gone."""
        if name not in self._closing or any(self._content(name)):
            return
        self._closing.discard(name)
        entry = self._state.shelf(_NAMESPACES).get(("", name))
        if entry and self.settle(_NAMESPACES, self._state.object_of(entry)):
            self.remove(_NAMESPACES, self._state.object_of(entry))

    def _find(self, ref: ObjectRef) -> tuple[Resource, Json]:
        resource = self._state.resources.get(ref.resource)
        if resource is None:
            raise errors.no_such_path()
        return resource, self._state.object_of(self._state.entry(resource, (ref.namespace, ref.name)))
