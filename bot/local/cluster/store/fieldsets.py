"""Sets of fields, in the FieldsV1 form that `managedFields` stores.

A set is a tree: `f:name` is a field, `k:{...}` an item of a merged list, `v:...` a value of a set, `.` the item itself;
an empty tree is a leaf, owned with all below it. The functions never change their arguments.
Source: kubernetes-sigs/structured-merge-diff:fieldpath/serialize-pe.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from bot.local.cluster.store.listkeys import ATOMIC_MAPS, ListKeys, ListKind

FieldSet = dict[str, Any]
_ITSELF = "."


def item_step(kind: ListKind, item: Any) -> str:
    """Return the path element of a list item."""
    if len(kind.keys) == 1 and isinstance(item, dict):
        (key,) = kind.keys
        return f'k:{{"{key}":{msgspec.json.encode(item.get(key)).decode()}}}'
    if kind.is_set or not isinstance(item, Mapping):
        return "v:" + msgspec.json.encode(item).decode()
    named = dict(zip(kind.keys, kind.identity(item), strict=True))
    return "k:" + msgspec.json.encode(named, order="sorted").decode()


def children(value: Any, keys: ListKeys, parent: str, name: str) -> dict[str, tuple[Any, str]] | None:
    """Return the parts that can be owned apart, path element to (value, field name); None for a leaf."""
    if isinstance(value, dict):
        if not value or name in ATOMIC_MAPS:
            return None
        return {"f:" + key: (part, key) for key, part in value.items()}
    if isinstance(value, list) and value:
        kind = keys.of(parent, name)
        return None if kind is None else {item_step(kind, item): (item, name) for item in value}
    return None


def fields_of(value: Any, keys: ListKeys, parent: str = "", name: str = "") -> FieldSet:
    """Return every field that is set in `value`."""
    # every create walks its whole object here, hence no call for a scalar
    if isinstance(value, dict) and name not in ATOMIC_MAPS:
        return {
            "f:" + key: fields_of(part, keys, name, key) if isinstance(part, dict | list) and part else {}
            for key, part in value.items()
        }
    kind = keys.of(parent, name) if isinstance(value, list) else None
    if kind is None:
        return {}
    items = {item_step(kind, item): item for item in value}
    return {step: _item_fields(step, item, keys, name) for step, item in items.items()}


def _item_fields(step: str, item: Any, keys: ListKeys, name: str) -> FieldSet:
    return {_ITSELF: {}, **fields_of(item, keys, "", name)} if step.startswith("k:") else {}


def _around(step: str, name: str) -> str:
    """The parent name for what lies below `step`: an item of a list stands for the list."""
    return name if step.startswith("f:") else ""


def _mark_items(tree: FieldSet, parts: Mapping[str, tuple[Any, str]]) -> FieldSet:
    for step in parts:
        if step.startswith("k:"):
            tree[step] = {_ITSELF: {}, **tree[step]}
    return tree


def difference(old: Any, new: Any, keys: ListKeys, parent: str = "", name: str = "") -> tuple[FieldSet, FieldSet]:
    """Return (fields added or changed, fields removed) between two values of one object."""
    before, after = children(old, keys, parent, name), children(new, keys, parent, name)
    if before is None or after is None:
        return fields_of(new, keys, parent, name), fields_of(old, keys, parent, name)
    changed: FieldSet = {}
    removed: FieldSet = {}
    for step, (part, field) in after.items():
        around = _around(step, name)
        if step not in before:
            changed |= _mark_items({step: fields_of(part, keys, around, field)}, {step: (part, field)})
        elif before[step][0] != part:
            inner, gone = difference(before[step][0], part, keys, around, field)
            changed |= {step: inner} if inner or not gone else {}
            removed |= {step: gone} if gone else {}
    for step, (part, field) in before.items():
        if step not in after:
            removed |= _mark_items({step: fields_of(part, keys, _around(step, name), field)}, {step: (part, field)})
    return changed, removed


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return the fields in either set."""
    merged = dict(left)
    for step, below in right.items():
        merged[step] = union(merged[step], below) if step in merged else below
    return merged


def minus(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return the fields of `left` that are not in `right`; a leaf of `right` covers what is below it."""
    rest: FieldSet = {}
    for step, below in left.items():
        if step not in right:
            rest[step] = below
        elif right[step] and below:
            remaining = minus(below, right[step])
            if remaining:
                rest[step] = remaining
        elif right[step]:
            rest[step] = below
    return rest


def shared(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return the fields that overlap: in both, or below a leaf of the other."""
    both: FieldSet = {}
    for step in left.keys() & right.keys():
        below_left, below_right = left[step], right[step]
        if not below_left or not below_right:
            both[step] = below_left or below_right
        elif inner := shared(below_left, below_right):
            both[step] = inner
    return both


def paths(tree: FieldSet, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield each leaf as its path elements."""
    for step, below in tree.items():
        if below:
            yield from paths(below, (*before, step))
        else:
            yield (*before, step)


def read(value: Any, path: tuple[str, ...], keys: ListKeys) -> Any:
    """Return what stands at a path, None where nothing does."""
    parent = name = ""
    for step in path:
        if step == _ITSELF:
            return value
        part = (children(value, keys, parent, name) or {}).get(step)
        if part is None:
            return None
        parent, (value, name) = _around(step, name), part
    return value


def spell(path: tuple[str, ...]) -> str:
    """Write a path the way conflict messages do: `.spec.containers[name="main"].image`."""
    return "".join(_spell_step(step) for step in path if step != _ITSELF)


def _spell_step(step: str) -> str:
    if step.startswith("f:"):
        return "." + step[2:]
    if step.startswith("v:"):
        return f"[={step[2:]}]"
    named = msgspec.json.decode(step[2:])
    return "[" + ",".join(f"{key}={msgspec.json.encode(value).decode()}" for key, value in named.items()) + "]"
