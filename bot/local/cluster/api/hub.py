"""Hands every change of the store to the watches that are open."""

from __future__ import annotations

import asyncio
from collections import deque

from bot.local.cluster.store import Change, Resource, Store

_MOST_WAITING = 50_000  # a client this far behind is cut off, and lists again


class Watch:
    """One open watch: the changes it has not sent yet."""

    def __init__(self, namespace: str, name: str) -> None:
        self._namespace = namespace
        self._name = name
        self._waiting: deque[Change] = deque()
        self._woken = asyncio.Event()
        self.closed = False

    def offer(self, change: Change) -> None:
        """Take a change that is within this watch's namespace and name."""
        metadata = change.new["metadata"]
        if self._namespace and metadata.get("namespace") != self._namespace:
            return
        if self._name and metadata["name"] != self._name:
            return
        self._waiting.append(change)
        if len(self._waiting) > _MOST_WAITING:
            self.close()
        self._woken.set()

    def close(self) -> None:
        """End the watch once its handler wakes."""
        self.closed = True
        self._woken.set()

    def take(self) -> list[Change]:
        """Return what is waiting."""
        taken = list(self._waiting)
        self._waiting.clear()
        self._woken.clear()
        return taken

    async def wait(self, seconds: float) -> bool:
        """Wait for a change or the end; False when the time is over first."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return False
        return True


class Hub:
    """All open watches by resource."""

    def __init__(self) -> None:
        self._watches: dict[tuple[str, str], set[Watch]] = {}

    def __len__(self) -> int:
        return sum(len(watches) for watches in self._watches.values())

    def follow(self, store: Store) -> None:
        """Start handing on the store's changes."""
        store.subscribe(self._deliver)

    def open(self, resource: Resource, namespace: str, name: str) -> Watch:
        """Start a watch; close it with `end`."""
        watch = Watch(namespace, name)
        self._watches.setdefault(resource.key, set()).add(watch)
        return watch

    def end(self, resource: Resource, watch: Watch) -> None:
        """Forget a watch."""
        self._watches.get(resource.key, set()).discard(watch)

    def drop_all(self) -> None:
        """End every watch that is open now."""
        for watches in self._watches.values():
            for watch in watches:
                watch.close()

    def _deliver(self, change: Change) -> None:
        for watch in self._watches.get(change.resource.key, ()):
            watch.offer(change)
