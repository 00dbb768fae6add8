"""What happened lately: the ring that watches resume from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from bot.local.cluster.store import errors
from bot.local.cluster.store.resources import Resource
from bot.local.cluster.store.shelf import Key

ChangeType = Literal["ADDED", "MODIFIED", "DELETED"]


@dataclass(frozen=True, slots=True)
class Change:
    """One write as subscribers see it; for DELETED, `new` is the last state under the version of the deletion."""

    version: int
    resource: Resource
    type: ChangeType
    new: dict[str, Any]
    old: dict[str, Any] | None
    encoded: bytes


@dataclass(frozen=True, slots=True)
class Past:
    """One write as the ring keeps it: bytes only, decoded when a watch with a selector replays it."""

    version: int
    resource: Resource
    type: ChangeType
    key: Key
    encoded: bytes
    old_encoded: bytes | None


class History:
    """The last writes, oldest first; `floor` is the oldest version that a watch can resume from."""

    def __init__(self, length: int, floor: int) -> None:
        self._ring: deque[Past] = deque(maxlen=length)
        self.floor = floor

    def append(self, past: Past) -> None:
        """Remember a write, and forget the oldest when the ring is full."""
        if len(self._ring) == self._ring.maxlen:
            self.floor = self._ring[0].version
        self._ring.append(past)

    def forget(self, floor: int) -> None:
        """Forget everything up to `floor`, as a compaction of etcd does."""
        self._ring.clear()
        self.floor = floor

    def since(self, version: int, resource: Resource) -> Iterator[Past]:
        """Yield the writes to `resource` after `version`; ApiError 410 when some are forgotten."""
        if version < self.floor:
            raise errors.expired(version, self.floor)
        return (past for past in self._ring if past.version > version and past.resource.key == resource.key)
