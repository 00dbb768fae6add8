"""Who owns whom: ownerReferences both ways, for garbage collection and for controllers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class ObjectRef(NamedTuple):
    """Where an object is; `resource` is its (group, plural)."""

    resource: tuple[str, str]
    namespace: str
    name: str


class Owners:
    """Index of every object by uid, and of every owner's dependents."""

    def __init__(self) -> None:
        self._by_uid: dict[str, ObjectRef] = {}
        self._dependents: dict[str, set[ObjectRef]] = {}

    def put(self, ref: ObjectRef, metadata: Mapping[str, Any], old: Mapping[str, Any] | None = None) -> None:
        """Record an object; `old` is its metadata before this write."""
        self._by_uid[metadata["uid"]] = ref
        before, after = _owner_uids(old or {}), _owner_uids(metadata)
        for uid in before - after:
            self._leave(uid, ref)
        for uid in after - before:
            self._dependents.setdefault(uid, set()).add(ref)

    def remove(self, ref: ObjectRef, metadata: Mapping[str, Any]) -> None:
        """Forget an object; its dependents stay listed until they are collected."""
        self._by_uid.pop(metadata["uid"], None)
        for uid in _owner_uids(metadata):
            self._leave(uid, ref)

    def locate(self, uid: str) -> ObjectRef | None:
        """Return where the object with this uid is, None when it is gone."""
        return self._by_uid.get(uid)

    def dependents(self, uid: str) -> set[ObjectRef]:
        """Return a copy of the objects that name this owner."""
        return set(self._dependents.get(uid, ()))

    def _leave(self, uid: str, ref: ObjectRef) -> None:
        refs = self._dependents.get(uid)
        if refs is not None:
            refs.discard(ref)
            if not refs:
                del self._dependents[uid]


def _owner_uids(metadata: Mapping[str, Any]) -> set[str]:
    return {owner["uid"] for owner in metadata.get("ownerReferences") or [] if owner.get("uid")}
