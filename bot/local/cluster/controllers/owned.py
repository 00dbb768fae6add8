"""Pods by the object that controls them, kept up to date write by write: counting them costs nothing."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.local.cluster.controllers.access import Key, Obj, key_of
from bot.local.cluster.controllers.conditions import is_true
from bot.local.cluster.store import Change


@dataclass(slots=True)
class PodSet:
    """The pods of one owner, each in one of the first four; `ready` is a part of `active`."""

    active: dict[Key, Obj] = field(default_factory=dict)
    terminating: dict[Key, Obj] = field(default_factory=dict)
    succeeded: dict[Key, Obj] = field(default_factory=dict)
    failed: dict[Key, Obj] = field(default_factory=dict)
    ready: set[Key] = field(default_factory=set)

    def place(self, key: Key, pod: Obj) -> None:
        self.remove(key)
        phase = (pod.get("status") or {}).get("phase")
        if phase == "Succeeded":
            self.succeeded[key] = pod
        elif phase == "Failed":
            self.failed[key] = pod
        elif pod["metadata"].get("deletionTimestamp"):
            self.terminating[key] = pod
        else:
            self.active[key] = pod
            if is_true(pod, "Ready"):
                self.ready.add(key)

    def remove(self, key: Key) -> None:
        for group in (self.active, self.terminating, self.succeeded, self.failed):
            group.pop(key, None)
        self.ready.discard(key)

    def everything(self) -> dict[Key, Obj]:
        return {**self.active, **self.terminating, **self.succeeded, **self.failed}


class OwnedPods:
    """All pod sets, by the uid of the owner, and the pods of each node. Hears of each change before any controller."""

    def __init__(self) -> None:
        self._sets: defaultdict[str, PodSet] = defaultdict(PodSet)
        self._on_node: defaultdict[str, dict[Key, Obj]] = defaultdict(dict)

    def of(self, uid: str) -> PodSet:
        return self._sets[uid]

    def on_node(self, name: str) -> list[Obj]:
        """The pods that are bound to a node, finished ones included."""
        return list(self._on_node[name].values())

    def observe(self, change: Change) -> None:
        if change.resource.key != ("", "pods"):
            return
        pod = change.new
        owner, key, node = controller_of(pod), key_of(pod), pod["spec"].get("nodeName")
        if node and change.type == "DELETED":
            self._on_node[node].pop(key, None)
        elif node:
            self._on_node[node][key] = pod
        if owner is None:
            return
        if change.type == "DELETED":
            self._sets[owner["uid"]].remove(key)
        else:
            self._sets[owner["uid"]].place(key, pod)


def controller_of(obj: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The owner reference that is marked as controller."""
    owners = obj["metadata"].get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), None)


def owned_by(owner: Obj) -> list[Obj]:
    """`metadata.ownerReferences` of an object that `owner` controls."""
    meta = owner["metadata"]
    return [{
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": meta["name"], "uid": meta["uid"],
        "controller": True, "blockOwnerDeletion": True,
    }]  # fmt: skip
