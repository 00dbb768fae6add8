"""The objects of one resource: JSON bytes in key order, decoded only when somebody asks.

A dict of a 10 KB pod takes about 40 KB, so 150,000 of them would not fit; their bytes do. Keys are kept sorted as they
come and go, so that a page of a list costs its own length and not the cluster's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from bot.local.cluster.store.facets import Facets

Key = tuple[str, str]  # namespace ("" for cluster-scoped), name
_END = "\U0010ffff"
_objects = msgspec.json.Decoder(dict[str, Any])


@dataclass(slots=True)
class Entry:
    """One object at rest."""

    key: Key
    encoded: bytes
    facets: Facets
    uid: str


class Decoded:
    """The objects most recently asked for, decoded; at most `budget_bytes` of their JSON."""

    def __init__(self, budget_bytes: int) -> None:
        self._budget_bytes = budget_bytes
        self._held_bytes = 0
        self._objects: OrderedDict[int, tuple[bytes, dict[str, Any]]] = OrderedDict()

    def get(self, encoded: bytes) -> dict[str, Any]:
        """Return the object of these bytes: the same one as last time, while it is held."""
        held = self._objects.get(id(encoded))
        if held is not None:
            self._objects.move_to_end(id(encoded))
            return held[1]
        obj = _objects.decode(encoded)
        self.hold(encoded, obj)
        return obj

    def peek(self, encoded: bytes) -> dict[str, Any]:
        """As `get`, but a walk over everything does not push out what is in use."""
        held = self._objects.get(id(encoded))
        return _objects.decode(encoded) if held is None else held[1]

    def hold(self, encoded: bytes, obj: dict[str, Any]) -> None:
        """Keep a pair that is known to belong together; holding the bytes keeps their id unique."""
        self._objects[id(encoded)] = (encoded, obj)
        self._held_bytes += len(encoded)
        while self._held_bytes > self._budget_bytes:
            _, (dropped, _) = self._objects.popitem(last=False)
            self._held_bytes -= len(dropped)

    def drop(self, encoded: bytes) -> None:
        """Forget an object that is no longer at rest."""
        if self._objects.pop(id(encoded), None) is not None:
            self._held_bytes -= len(encoded)


class Shelf:
    """All objects of one resource, in order of namespace and name."""

    def __init__(self) -> None:
        self._entries: dict[Key, Entry] = {}
        self._keys: list[Key] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Key) -> bool:
        return key in self._entries

    def get(self, key: Key) -> Entry | None:
        """Return the entry, or None."""
        return self._entries.get(key)

    def put(self, entry: Entry) -> None:
        """Add or replace an entry."""
        if entry.key not in self._entries:
            insort(self._keys, entry.key)
        self._entries[entry.key] = entry

    def load(self, entries: Iterable[Entry]) -> None:
        """Add many entries and sort once."""
        self._entries.update((entry.key, entry) for entry in entries)
        self._keys = sorted(self._entries)

    def remove(self, key: Key) -> None:
        """Take an entry away; it must be there."""
        del self._entries[key]
        del self._keys[bisect_left(self._keys, key)]

    def count(self, namespace: str = "", after: Key | None = None) -> int:
        """Return how many entries `walk` with the same arguments would visit."""
        start, stop = self._span(namespace, after)
        return stop - start

    def walk(self, namespace: str = "", after: Key | None = None) -> Iterator[Entry]:
        """Visit entries in order; `after` continues behind a key, which need not exist any more.

        Do not write to the shelf while walking.
        """
        start, stop = self._span(namespace, after)
        entries = self._entries
        return (entries[key] for key in islice(self._keys, start, stop))

    def mapping(self) -> Mapping[Key, Entry]:
        """Return all entries by key, unordered."""
        return self._entries

    def _span(self, namespace: str, after: Key | None) -> tuple[int, int]:
        start, stop = 0, len(self._keys)
        if namespace:
            start = bisect_left(self._keys, (namespace, ""))
            stop = bisect_left(self._keys, (namespace, _END))
        if after is not None:
            start = max(start, bisect_right(self._keys, after))
        return start, max(start, stop)
