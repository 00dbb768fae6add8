"""CustomResourceDefinitions: what they declare, as a `Resource`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.local.cluster.store.errors import invalid
from bot.local.cluster.store.resources import RESOURCES, Resource

Json = dict[str, Any]
DEFINITIONS = RESOURCES["apiextensions.k8s.io", "customresourcedefinitions"]


def storage_version(definition: Mapping[str, Any]) -> Json:
    """Return the version entry that is stored: the only one that is served here."""
    versions: list[Json] = definition["spec"]["versions"]
    return next((version for version in versions if version.get("storage")), versions[0])


def resource_of(definition: Mapping[str, Any]) -> Resource:
    """Return the kind that a definition declares; ApiError 422 when it is incomplete."""
    spec = definition.get("spec") or {}
    names = spec.get("names") or {}
    missing = [f"spec.{field}" for field in ("group", "versions", "names", "scope") if not spec.get(field)]
    missing += [f"spec.names.{field}" for field in ("plural", "kind") if not names.get(field)]
    if missing:
        causes = [(field, "FieldValueRequired", "Required value") for field in missing]
        raise invalid(DEFINITIONS, definition["metadata"].get("name", ""), causes)
    version = storage_version(definition)
    return Resource(
        spec["group"],
        version["name"],
        names["plural"],
        names["kind"],
        spec["scope"] == "Namespaced",
        tuple(names.get("shortNames") or ()),
        frozenset(version.get("subresources") or {}),
        tuple(names.get("categories") or ()),
        custom=True,
    )


def established(definition: Mapping[str, Any], time: str) -> Json:
    """Return the status that a definition has once its kind is served."""
    reasons = {"NamesAccepted": "NoConflicts", "Established": "InitialNamesAccepted"}
    conditions = [
        {"type": name, "status": "True", "reason": reason, "message": "", "lastTransitionTime": time}
        for name, reason in reasons.items()
    ]
    names = definition["spec"]["names"]
    accepted = {"singular": names["kind"].lower(), "listKind": names["kind"] + "List", **names}
    stored = [storage_version(definition)["name"]]
    return {"conditions": conditions, "acceptedNames": accepted, "storedVersions": stored}
