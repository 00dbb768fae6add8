"""What a write becomes before it is stored: a copy of its own, with everything it may not decide filled in."""

from __future__ import annotations

from typing import Any

import msgspec

from bot.local.cluster.store import defaults, errors, managed
from bot.local.cluster.store.resources import Resource
from bot.local.cluster.store.state import State

Json = dict[str, Any]
_NO_GENERATION = frozenset({"namespaces", "nodes", "services", "persistentvolumes", "persistentvolumeclaims"})
_GIVEN_BY_SERVER = ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")


def detached(resource: Resource, obj: Json) -> Json:
    """Return a copy that shares nothing with the caller's object; ApiError 400 when it is another kind."""
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata", {}) or {}, dict):
        raise errors.bad_request("the object provided is unrecognized (must be a JSON object with metadata)")
    kind, api_version = obj.get("kind", resource.kind), obj.get("apiVersion", resource.api_version)
    if (kind, api_version) != (resource.kind, resource.api_version):
        expected = f"{resource.kind} in version {resource.api_version}"
        raise errors.bad_request(f"{kind} in version {api_version} cannot be handled as a {expected}")
    body = {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
    copied: Json = msgspec.json.decode(msgspec.json.encode(body))
    return {"apiVersion": resource.api_version, "kind": resource.kind, **copied}


def identified(state: State, resource: Resource, namespace: str, obj: Json, time: str) -> Json:
    """Return a new object with its name, uid and birth; ApiError 409 when the name is taken, 422 without one."""
    metadata = obj.get("metadata") or {}
    shelf, names = state.shelf(resource), state.names
    namespace = namespace if resource.namespaced else ""
    name, base = metadata.get("name") or "", metadata.get("generateName") or ""
    if not name and not base:
        causes = [("metadata.name", "FieldValueRequired", "Required value: name or generateName is required")]
        raise errors.invalid(resource, "", causes)
    if not name:
        name = names.generate(resource, base, lambda taken: (namespace, taken) in shelf)
    elif (namespace, name) in shelf:
        raise errors.already_exists(resource, name)
    identity = {"name": name, "uid": names.uid(), "creationTimestamp": time}
    identity |= {"namespace": namespace} if namespace else {}
    identity |= {"generation": 1} if _has_generation(resource) else {}
    kept = {key: value for key, value in metadata.items() if key not in _GIVEN_BY_SERVER}
    return {**obj, "metadata": kept | identity}


def successor_of(resource: Resource, old: Json, new: Json, subresource: str) -> Json:
    """Return `new` with everything that this write may not change taken from `old`."""
    before, given = old["metadata"], new.get("metadata") or {}
    if given.get("resourceVersion") not in (None, "", before["resourceVersion"]):
        raise errors.stale(resource, before["name"])
    if given.get("uid") not in (None, "", before["uid"]):
        why = f"Precondition failed: UID in precondition: {given['uid']}, UID in object meta: {before['uid']}"
        raise errors.conflict(resource, before["name"], why)
    if subresource == "status":
        return {**old, "metadata": dict(before), "status": new.get("status") or {}}
    metadata = dict(given)
    for name in managed.SYSTEM_FIELDS:
        metadata.pop(name, None)
        if name in before:
            metadata[name] = before[name]
    successor = {**new, "apiVersion": old["apiVersion"], "kind": old["kind"], "metadata": metadata}
    defaults.fill_in(resource, successor)
    if "status" in resource.subresources:
        # after the defaults: those change in place, and this part belongs to a stored object
        successor.pop("status", None)
        successor |= {"status": old["status"]} if "status" in old else {}
    if _has_generation(resource) and _intent(successor) != _intent(old):
        metadata["generation"] = before.get("generation", 1) + 1
    return successor


def _has_generation(resource: Resource) -> bool:
    return resource.custom or ("status" in resource.subresources and resource.plural not in _NO_GENERATION)


def _intent(obj: Json) -> Json:
    return {key: value for key, value in obj.items() if key not in ("metadata", "status")}
