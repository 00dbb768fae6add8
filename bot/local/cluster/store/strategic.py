"""Strategic merge patch: lists merge by key, and directives say what plain JSON cannot.

Rules: kubernetes/community:contributors/devel/sig-api-machinery/strategic-merge-patch.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.local.cluster.store.errors import bad_request
from bot.local.cluster.store.listkeys import BUILT_IN, ListKind

_DIRECTIVE = "$patch"
_RETAIN = "$retainKeys"
_DELETE_VALUES = "$deleteFromPrimitiveList/"
_ORDER = "$setElementOrder/"


def strategic_merge(target: Any, patch: Any, parent: str = "", name: str = "") -> Any:
    """Return `target` with `patch` applied; ApiError 400 for a directive that does not exist."""
    if isinstance(patch, dict):
        return _merge_object(target if isinstance(target, dict) else {}, patch, name)
    if isinstance(patch, list):
        return _merge_list(target if isinstance(target, list) else [], patch, BUILT_IN.of(parent, name), name)
    return patch


def _merge_object(target: Mapping[str, Any], patch: Mapping[str, Any], name: str) -> dict[str, Any]:
    directive = patch.get(_DIRECTIVE, "merge")
    if directive not in ("merge", "replace", "delete"):
        raise bad_request(f"Unknown patch type found: {directive}")
    plain = {key: value for key, value in patch.items() if not key.startswith("$")}
    if directive == "delete":
        return {}
    merged: dict[str, Any] = {} if directive == "replace" else dict(target)
    _delete_values(merged, patch)
    for key, value in plain.items():
        if value is None or (isinstance(value, dict) and value.get(_DIRECTIVE) == "delete"):
            merged.pop(key, None)
        else:
            merged[key] = strategic_merge(merged.get(key), value, name, key)
    if _RETAIN in patch:
        merged = {key: value for key, value in merged.items() if key in patch[_RETAIN]}
    _reorder(merged, patch, name)
    return merged


def _delete_values(merged: dict[str, Any], patch: Mapping[str, Any]) -> None:
    for key, values in patch.items():
        if key.startswith(_DELETE_VALUES):
            field = key.removeprefix(_DELETE_VALUES)
            merged[field] = [value for value in merged.get(field) or [] if value not in values]


def _reorder(merged: dict[str, Any], patch: Mapping[str, Any], name: str) -> None:
    for key, order in patch.items():
        field = key.removeprefix(_ORDER)
        if not key.startswith(_ORDER) or not isinstance(merged.get(field), list):
            continue
        kind = BUILT_IN.of(name, field)
        patch_key = kind.patch_key if kind else ""
        wanted = [_tell(item, patch_key) for item in order]
        items = merged[field]
        named = iter(sorted((i for i in items if _tell(i, patch_key) in wanted), key=_rank(wanted, patch_key)))
        # items that the order does not name stay where they were
        merged[field] = [next(named) if _tell(item, patch_key) in wanted else item for item in items]


def _rank(wanted: list[Any], patch_key: str) -> Any:
    return lambda item: wanted.index(_tell(item, patch_key))


def _tell(item: Any, patch_key: str) -> Any:
    return item.get(patch_key) if isinstance(item, dict) else item


def _merge_list(target: list[Any], patch: list[Any], kind: ListKind | None, name: str) -> list[Any]:
    if kind is None:
        return [item for item in patch if not (isinstance(item, dict) and _DIRECTIVE in item)]
    if kind.is_set:
        return list(dict.fromkeys([*target, *patch]))
    if any(item.get(_DIRECTIVE) == "replace" for item in patch):
        return [item for item in patch if _DIRECTIVE not in item]
    merged = list(target)
    for item in patch:
        _merge_item(merged, item, kind.patch_key, name)
    return merged


def _merge_item(merged: list[Any], item: dict[str, Any], key: str, name: str) -> None:
    if key not in item:
        raise bad_request(f"map: {item} does not contain declared merge key: {key}")
    place = next((i for i, present in enumerate(merged) if present.get(key) == item[key]), None)
    if item.get(_DIRECTIVE) == "delete":
        merged[:] = [present for present in merged if present.get(key) != item[key]]
    elif place is None:
        merged.append(strategic_merge({}, item, "", name))
    else:
        merged[place] = strategic_merge(merged[place], item, "", name)
