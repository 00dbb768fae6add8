"""What is decided from other objects before an object is stored: its namespace, and a pod's priority.

Source: kubernetes/kubernetes:plugin/pkg/admission/{namespace/lifecycle,priority}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.local.cluster.store import errors
from bot.local.cluster.store.resources import RESOURCES, Resource
from bot.local.cluster.store.state import State

Json = dict[str, Any]
_NAMESPACES = RESOURCES["", "namespaces"]
_PRIORITY_CLASSES = RESOURCES["scheduling.k8s.io", "priorityclasses"]
_SYSTEM_PRIORITIES: Mapping[str, int] = {
    "system-node-critical": 2_000_001_000,
    "system-cluster-critical": 2_000_000_000,
}


def admit(state: State, resource: Resource, obj: Json) -> None:
    """Check and complete an object that is about to be created, in place; ApiError 403 or 404."""
    if resource.namespaced:
        _namespace_is_open(state, resource, obj)
    if resource.key == ("", "pods"):
        _set_priority(state, resource, obj)


def _namespace_is_open(state: State, resource: Resource, obj: Json) -> None:
    namespace = obj["metadata"]["namespace"]
    entry = state.shelf(_NAMESPACES).get(("", namespace))
    if entry is None:
        raise errors.not_found(_NAMESPACES, namespace)
    if state.object_of(entry)["metadata"].get("deletionTimestamp"):
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        raise errors.forbidden(resource, obj["metadata"]["name"], why)


def _set_priority(state: State, resource: Resource, obj: Json) -> None:
    spec = obj["spec"]
    name = spec.get("priorityClassName")
    if name in _SYSTEM_PRIORITIES:
        spec["priority"] = _SYSTEM_PRIORITIES[name]
        return
    found = _class_named(state, name) if name else _global_default(state)
    if name and found is None:
        why = f"no PriorityClass with name {name} was found"
        raise errors.forbidden(resource, obj["metadata"]["name"], why)
    if found:
        spec["priorityClassName"] = found["metadata"]["name"]
        spec["preemptionPolicy"] = found.get("preemptionPolicy", "PreemptLowerPriority")
    spec["priority"] = found["value"] if found else 0


def _class_named(state: State, name: str) -> Json | None:
    entry = state.shelf(_PRIORITY_CLASSES).get(("", name))
    return state.object_of(entry) if entry else None


def _global_default(state: State) -> Json | None:
    return next((found for found in state.walk(_PRIORITY_CLASSES) if found.get("globalDefault")), None)
