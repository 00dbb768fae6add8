"""Who is told when something changes: open pages and callers that wait for a message."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Change:
    """`audience` is the one person concerned, or None for everybody who can see `channel`."""

    kind: Literal["message", "deleted", "view", "home", "closing"]
    channel: str = ""
    ts: str = ""
    audience: str | None = None


class Changes:
    """`revision` counts changes, so that a page knows whether it missed one."""

    def __init__(self) -> None:
        self.revision = 0
        self._listeners: set[asyncio.Queue[Change]] = set()

    def publish(self, change: Change) -> None:
        self.revision += 1
        for listener in self._listeners:
            listener.put_nowait(change)

    def close(self) -> None:
        """Tells every open page that the workspace ends."""
        self.publish(Change("closing"))

    @contextmanager
    def listen(self) -> Iterator[asyncio.Queue[Change]]:
        """A queue of everything that changes while the block runs."""
        queue: asyncio.Queue[Change] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            yield queue
        finally:
            self._listeners.discard(queue)
