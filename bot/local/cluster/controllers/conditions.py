"""Status conditions: a list with one entry a type, whose transition time moves only when its status does."""

from collections.abc import Iterable, Mapping
from typing import Any

Condition = dict[str, Any]


def condition(obj: Mapping[str, Any], type_: str) -> Condition | None:
    found = (obj.get("status") or {}).get("conditions") or ()
    return next((c for c in found if c["type"] == type_), None)


def is_true(obj: Mapping[str, Any], type_: str) -> bool:
    return (condition(obj, type_) or {}).get("status") == "True"


def with_condition(conditions: Iterable[Condition] | None, new: Condition, at: str) -> list[Condition]:
    """`new` in the place of the one of its type, or at the end. `at` is RFC 3339."""
    old = list(conditions or ())
    before = next((c for c in old if c["type"] == new["type"]), None)
    if before is None:
        return [*old, {**new, "lastTransitionTime": at}]
    since = before.get("lastTransitionTime", at) if before["status"] == new["status"] else at
    return [{**new, "lastTransitionTime": since} if c is before else c for c in old]
