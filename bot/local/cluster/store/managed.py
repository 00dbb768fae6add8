"""`metadata.managedFields`: who set which field, kept up with every write.

Rules: kubernetes.io/docs/reference/using-api/server-side-apply and
kubernetes-sigs/structured-merge-diff:merge/update.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bot.local.cluster.store.fieldsets import FieldSet, difference, fields_of, minus, union
from bot.local.cluster.store.listkeys import BUILT_IN, CUSTOM, ListKeys
from bot.local.cluster.store.resources import Resource

Json = dict[str, Any]
Operation = Literal["Apply", "Update"]

# what the server itself writes belongs to nobody
SYSTEM_FIELDS = (
    *("name", "namespace", "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"),
    *("deletionTimestamp", "deletionGracePeriodSeconds"),
)
_NOBODYS: FieldSet = {"f:apiVersion": {}, "f:kind": {}, "f:metadata": {f"f:{name}": {} for name in SYSTEM_FIELDS}}


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, how, and when (RFC 3339)."""

    manager: str
    operation: Operation
    time: str
    subresource: str = ""

    def owns(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry of managedFields is this writer's own."""
        told = (entry.get("manager"), entry.get("operation"), entry.get("subresource", ""))
        return told == (self.manager, self.operation, self.subresource)

    def entry(self, api_version: str, fields: FieldSet) -> Json:
        """Return an entry of managedFields."""
        entry: Json = {"manager": self.manager, "operation": self.operation, "apiVersion": api_version}
        entry |= {"time": self.time, "fieldsType": "FieldsV1", "fieldsV1": fields}
        return entry | ({"subresource": self.subresource} if self.subresource else {})


def keys_of(resource: Resource) -> ListKeys:
    """Return the table of merged lists for a resource."""
    return CUSTOM if resource.custom else BUILT_IN


def ownable(resource: Resource, obj: Mapping[str, Any]) -> FieldSet:
    """Return every field of an object that a manager can own."""
    return minus(fields_of(obj, keys_of(resource)), _NOBODYS)


def on_create(resource: Resource, obj: Mapping[str, Any], writer: Writer) -> list[Json]:
    """Return the managedFields of a new object: all of it is its creator's."""
    fields = ownable(resource, obj)
    return [writer.entry(resource.api_version, fields)] if fields else []


def on_update(resource: Resource, old: Mapping[str, Any], new: Mapping[str, Any], writer: Writer) -> list[Json]:
    """Return the managedFields after an update: what it changed is its own, what it removed is nobody's."""
    changed, removed = difference(old, new, keys_of(resource))
    changed, removed = minus(changed, _NOBODYS), minus(removed, _NOBODYS)
    entries = old["metadata"].get("managedFields") or []
    if not changed and not removed:
        return list(entries)
    return _settle(entries, changed, removed, writer, resource)


def _settle(
    entries: Sequence[Json], changed: FieldSet, removed: FieldSet, writer: Writer, resource: Resource
) -> list[Json]:
    kept: list[Json] = []
    own: FieldSet = {}
    for entry in entries:
        fields = minus(entry.get("fieldsV1") or {}, removed)
        if writer.owns(entry):
            own = fields
        elif rest := minus(fields, changed):
            kept.append({**entry, "fieldsV1": rest} if rest != entry["fieldsV1"] else entry)
    own = union(own, changed)
    if own:
        kept.append(writer.entry(resource.api_version, own))
    return kept
