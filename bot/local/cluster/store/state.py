"""All objects and their versions: the one place where a write becomes visible.

A write is stored, indexed, remembered and announced in one synchronous step. Announcements keep the order of versions
even when a subscriber writes while it is being told: its change is announced after the present one.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from bot.local.cluster.store import errors
from bot.local.cluster.store.facets import Facets, facets, head
from bot.local.cluster.store.history import Change, ChangeType, History, Past
from bot.local.cluster.store.names import Names
from bot.local.cluster.store.owners import ObjectRef, Owners
from bot.local.cluster.store.resources import RESOURCES, Resource
from bot.local.cluster.store.shelf import Decoded, Entry, Key, Shelf

Json = dict[str, Any]
FIRST_VERSION = 1000  # a young cluster's versions: small numbers are always too old to watch from
_DECODED_BUDGET_BYTES = 48 << 20
LabelSets = dict[tuple[tuple[str, str], ...], Mapping[str, str]]
_encoder = msgspec.json.Encoder()


@contextmanager
def _no_cycle_search() -> Iterator[None]:
    """Many small objects that all stay: the garbage collector would walk them again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class State:
    """Shelves by resource, the history, and the subscribers."""

    def __init__(self, history: int, names: Names) -> None:
        self.version = FIRST_VERSION - 1
        self.resources: dict[tuple[str, str], Resource] = dict(RESOURCES)
        self.owners = Owners()
        self.history = History(history, self.version)
        self.names = names
        self._decoded = Decoded(_DECODED_BUDGET_BYTES)
        self._shelves: dict[tuple[str, str], Shelf] = {key: Shelf() for key in RESOURCES}
        self._subscribers: list[Callable[[Change], None]] = []
        self._unannounced: deque[Change] = deque()
        self._announcing = False

    def shelf(self, resource: Resource) -> Shelf:
        """Return the shelf of a resource."""
        return self._shelves[resource.key]

    def add_resource(self, resource: Resource) -> None:
        """Serve a further kind."""
        self.resources[resource.key] = resource
        self._shelves.setdefault(resource.key, Shelf())

    def remove_resource(self, resource: Resource) -> None:
        """Serve a kind no longer; its objects must be gone."""
        self.resources.pop(resource.key, None)

    def entry(self, resource: Resource, key: Key) -> Entry:
        """Return an object at rest; ApiError 404."""
        found = self.shelf(resource).get(key)
        if found is None:
            raise errors.not_found(resource, key[1])
        return found

    def object_of(self, entry: Entry) -> Json:
        """Return an entry's object, decoded now or lately."""
        return self._decoded.get(entry.encoded)

    def walk(self, resource: Resource, namespace: str = "") -> Iterator[Json]:
        """Yield the objects of a resource in order; do not write meanwhile."""
        return (self._decoded.peek(entry.encoded) for entry in self.shelf(resource).walk(namespace))

    def commit(self, kind: ChangeType, resource: Resource, new: Json) -> Json:
        """Store `new` under the next version and announce it; `new` must be nobody else's."""
        metadata = new["metadata"]
        key = (metadata.get("namespace", ""), metadata["name"])
        old_entry = self.shelf(resource).get(key)
        old = self.object_of(old_entry) if old_entry else None
        self.version += 1
        metadata["resourceVersion"] = str(self.version)
        encoded = _encoder.encode(new)
        self._index(kind, resource, Entry(key, encoded, facets(resource, new), metadata["uid"]), new, old)
        if old_entry:
            self._decoded.drop(old_entry.encoded)
        past = Past(self.version, resource, kind, key, encoded, old_entry.encoded if old_entry else None)
        self.history.append(past)
        self._announce(Change(self.version, resource, kind, new, old, encoded))
        return new

    def _index(self, kind: ChangeType, resource: Resource, entry: Entry, new: Json, old: Json | None) -> None:
        ref = ObjectRef(resource.key, *entry.key)
        if kind == "DELETED":
            self.shelf(resource).remove(entry.key)
            self.owners.remove(ref, old["metadata"] if old else new["metadata"])
        else:
            self.shelf(resource).put(entry)
            self._decoded.hold(entry.encoded, new)
            self.owners.put(ref, new["metadata"], old["metadata"] if old else None)

    def _announce(self, change: Change) -> None:
        self._unannounced.append(change)
        if self._announcing:
            return
        self._announcing = True
        try:
            while self._unannounced:
                announced = self._unannounced.popleft()
                for subscriber in tuple(self._subscribers):
                    subscriber(announced)
        finally:
            self._announcing = False

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Call `callback` after each write; returns what ends it."""
        self._subscribers.append(callback)

        def unsubscribe() -> None:
            if callback in self._subscribers:
                self._subscribers.remove(callback)

        return unsubscribe

    def load(self, resource: Resource, items: Iterable[bytes]) -> int:
        """Put many encoded objects at rest unannounced, as if they had always been there; return how many."""
        seen: LabelSets = {}
        with _no_cycle_search():
            entries = [self._loaded(resource, item, seen) for item in items]
        self.shelf(resource).load(entries)
        self.history.forget(self.version)
        return len(entries)

    def _loaded(self, resource: Resource, item: bytes, seen: LabelSets) -> Entry:
        known = head(resource, item)
        metadata = known["metadata"]
        if not metadata.get("uid") or not str(metadata.get("resourceVersion", "")).isdigit():
            item, known = self._completed(resource, item)
            metadata = known["metadata"]
        elif not known.get("kind"):
            named = _encoder.encode({"apiVersion": resource.api_version, "kind": resource.kind})
            item = named[:-1] + b"," + item.lstrip()[1:]
        self.version = max(self.version, int(metadata["resourceVersion"]))
        key = (metadata.get("namespace", ""), metadata["name"])
        self.owners.put(ObjectRef(resource.key, *key), metadata)
        found = facets(resource, known)
        labels = seen.setdefault(tuple(found.labels.items()), found.labels)  # a workload's pods share them
        return Entry(key, item, Facets(labels, found.fields), metadata["uid"])

    def _completed(self, resource: Resource, item: bytes) -> tuple[bytes, Json]:
        self.version += 1
        obj: Json = msgspec.json.decode(item)
        identity = {"uid": self.names.uid(), "resourceVersion": str(self.version)}
        metadata = {"generation": 1, **obj["metadata"], **identity}
        obj = {**obj, "apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata}
        return _encoder.encode(obj), obj
