"""What the API refuses to store: names, and the few contradictions that controllers would otherwise spin on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bot.local.cluster.store import errors
from bot.local.cluster.store.resources import Resource
from bot.local.cluster.store.selectors import from_object, matches

Cause = tuple[str, str, str]
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_PATH_SEGMENT = re.compile(r"[^/%]+")
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character"
)
_WORKLOADS = frozenset({"deployments", "replicasets", "statefulsets", "daemonsets"})


def validate_new(resource: Resource, obj: Mapping[str, Any]) -> None:
    """Check an object that is about to be created; ApiError 422 with every cause."""
    name = obj["metadata"]["name"]
    causes = [*_name_causes(resource, name), *_spec_causes(resource, obj)]
    if causes:
        raise errors.invalid(resource, name, causes)


def validate_change(resource: Resource, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Check an update of the object itself; ApiError 422 with every cause."""
    causes = _spec_causes(resource, new)
    if resource.group == "apps" and resource.plural in _WORKLOADS:
        before, after = old["spec"].get("selector"), (new.get("spec") or {}).get("selector")
        if before != after:
            causes.append(("spec.selector", "FieldValueInvalid", f"Invalid value: {after}: field is immutable"))
    if causes:
        raise errors.invalid(resource, new["metadata"]["name"], causes)


def _name_causes(resource: Resource, name: str) -> list[Cause]:
    if resource.group == "rbac.authorization.k8s.io":
        good = _PATH_SEGMENT.fullmatch(name) is not None and name not in (".", "..")
    elif resource.plural in ("namespaces", "services"):
        good = len(name) <= 63 and _LABEL.fullmatch(name) is not None
    else:
        good = len(name) <= 253 and _SUBDOMAIN.fullmatch(name) is not None
    return [] if good else [("metadata.name", "FieldValueInvalid", f'Invalid value: "{name}": {_SUBDOMAIN_RULE}')]


def _spec_causes(resource: Resource, obj: Mapping[str, Any]) -> list[Cause]:
    spec = obj.get("spec") or {}
    if resource.key == ("", "pods"):
        return _pod_causes(spec, "spec")
    if resource.group == "apps" and resource.plural in _WORKLOADS:
        return _workload_causes(spec)
    return []


def _pod_causes(spec: Mapping[str, Any], path: str) -> list[Cause]:
    containers = spec.get("containers") or []
    if not containers:
        return [(f"{path}.containers", "FieldValueRequired", "Required value")]
    causes: list[Cause] = []
    seen: set[str] = set()
    for i, container in enumerate(containers):
        name = container.get("name", "")
        field = f"{path}.containers[{i}].name"
        if not name:
            causes.append((field, "FieldValueRequired", "Required value"))
        elif name in seen:
            causes.append((field, "FieldValueDuplicate", f'Duplicate value: "{name}"'))
        seen.add(name)
    return causes


def _workload_causes(spec: Mapping[str, Any]) -> list[Cause]:
    causes: list[Cause] = []
    replicas = spec.get("replicas", 1)
    if isinstance(replicas, int) and replicas < 0:
        told = f"Invalid value: {replicas}: must be greater than or equal to 0"
        causes.append(("spec.replicas", "FieldValueInvalid", told))
    selector = from_object(spec.get("selector"))
    template = spec.get("template") or {}
    labels = (template.get("metadata") or {}).get("labels") or {}
    if not selector:
        causes.append(("spec.selector", "FieldValueRequired", "Required value"))
    elif not matches(selector, labels):
        told = f"Invalid value: {labels}: `selector` does not match template `labels`"
        causes.append(("spec.template.metadata.labels", "FieldValueInvalid", told))
    return causes + _pod_causes(template.get("spec") or {}, "spec.template.spec")
