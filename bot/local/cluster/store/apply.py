"""Server-side apply: merge a manager's intent, refuse what others own, take away what it no longer wants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.local.cluster.store.errors import ApiError
from bot.local.cluster.store.fieldsets import FieldSet, item_step, minus, paths, read, shared, spell, union
from bot.local.cluster.store.listkeys import ATOMIC_MAPS, ListKeys
from bot.local.cluster.store.managed import Writer, keys_of, ownable
from bot.local.cluster.store.resources import Resource

Json = dict[str, Any]


def apply_intent(resource: Resource, live: Json, intent: Json, writer: Writer, force: bool) -> Json:
    """Return the object after `intent` is applied, its managedFields included; ApiError 409 lists the conflicts.

    `live` is not changed. `force` takes conflicting fields away from their managers.
    """
    keys = keys_of(resource)
    wanted = ownable(resource, intent)
    entries: Sequence[Json] = live["metadata"].get("managedFields") or []
    others = [entry for entry in entries if not writer.owns(entry)]
    clashes = {i: _clash(entry, wanted, live, intent, keys) for i, entry in enumerate(others)}
    if not force and any(clashes.values()):
        raise _conflict([(others[i], clash) for i, clash in clashes.items() if clash])
    others = [_without(entry, clashes[i]) for i, entry in enumerate(others)]
    own = next((entry for entry in entries if writer.owns(entry)), None)
    dropped = minus(own["fieldsV1"], wanted) if own else {}
    for entry in others:
        dropped = minus(dropped, entry["fieldsV1"])
    merged = _take_away(_merged(live, intent, keys, "", ""), dropped, keys, "", "")
    if own and own["fieldsV1"] == wanted and not any(clashes.values()):
        managed = list(entries)  # an apply that says nothing new leaves no new time behind
    else:
        managed = [*(e for e in others if e["fieldsV1"]), writer.entry(resource.api_version, wanted)]
    return {**merged, "metadata": {**merged["metadata"], "managedFields": managed}}


def _clash(entry: Json, wanted: FieldSet, live: Json, intent: Json, keys: ListKeys) -> FieldSet:
    """Return the fields of another manager that the intent would set to something else."""
    found: FieldSet = {}
    for path in paths(shared(entry.get("fieldsV1") or {}, wanted)):
        if path[-1] != "." and read(live, path, keys) != read(intent, path, keys):
            found = union(found, _tree(path))
    return found


def _tree(path: tuple[str, ...]) -> FieldSet:
    tree: FieldSet = {}
    for step in reversed(path):
        tree = {step: tree}
    return tree


def _without(entry: Json, fields: FieldSet) -> Json:
    return {**entry, "fieldsV1": minus(entry["fieldsV1"], fields)} if fields else entry


def _conflict(found: Sequence[tuple[Json, FieldSet]]) -> ApiError:
    causes = []
    told = []
    for entry, fields in found:
        who = f'"{entry["manager"]}"'
        if entry.get("subresource"):
            who += f' with subresource "{entry["subresource"]}"'
        who += f" using {entry['apiVersion']}"
        spelled = sorted(spell(path) for path in paths(fields))
        causes += [{"reason": "FieldManagerConflict", "message": f"conflict with {who}", "field": f} for f in spelled]
        one = f"conflict with {who}: {spelled[0]}"
        told.append(one if len(spelled) == 1 else f"conflicts with {who}:\n" + "\n".join(f"- {f}" for f in spelled))
    counted = "1 conflict" if len(causes) == 1 else f"{len(causes)} conflicts"
    return ApiError(409, "Conflict", f"Apply failed with {counted}: " + "\n".join(told), {"causes": causes})


def _merged(live: Any, intent: Any, keys: ListKeys, parent: str, name: str) -> Any:
    if isinstance(intent, dict) and isinstance(live, dict) and name not in ATOMIC_MAPS:
        return {**live, **{key: _merged(live.get(key), value, keys, name, key) for key, value in intent.items()}}
    if isinstance(intent, list) and isinstance(live, list):
        return _merged_list(live, intent, keys, parent, name)
    return intent


def _merged_list(live: list[Any], intent: list[Any], keys: ListKeys, parent: str, name: str) -> list[Any]:
    kind = keys.of(parent, name)
    if kind is None:
        return intent
    items = {item_step(kind, item): item for item in live}
    for item in intent:
        step = item_step(kind, item)
        items[step] = _merged(items.get(step), item, keys, "", name)
    return list(items.values())


def _take_away(value: Any, dropped: FieldSet, keys: ListKeys, parent: str, name: str) -> Any:
    if not dropped:
        return value
    if isinstance(value, dict):
        return _fields_left(value, dropped, keys, name)
    kind = keys.of(parent, name)
    if not isinstance(value, list) or kind is None:
        return value
    left = []
    for item in value:
        below = dropped.get(item_step(kind, item))
        if below is None:
            left.append(item)
        elif below and "." not in below:
            left.append(_take_away(item, below, keys, "", name))
    return left


def _fields_left(value: Mapping[str, Any], dropped: FieldSet, keys: ListKeys, name: str) -> Json:
    left: Json = {}
    for key, part in value.items():
        below = dropped.get("f:" + key)
        if below is None:
            left[key] = part
        elif below and (rest := _take_away(part, below, keys, name, key)):
            left[key] = rest
    return left
