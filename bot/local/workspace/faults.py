"""Faults on request: Web API methods that fail, disconnect frames, connections that drop."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from bot.local.workspace.sockets import Sockets


@dataclass(frozen=True, slots=True)
class Fault:
    """Either Slack's way of failing (HTTP 200 with an error word) or a bare HTTP status."""

    error: str
    status: int = 200
    retry_after_seconds: int | None = None


class Faults:
    def __init__(self, sockets: Sockets) -> None:
        self._sockets = sockets
        self._pending: dict[str, deque[Fault]] = {}

    def fail(self, method: str, error: str = "internal_error", times: int = 1) -> None:
        """The next calls of `method` answer `{"ok": false, "error": error}`."""
        self._queue(method).extend([Fault(error)] * times)

    def status(self, method: str, status: int = 429, *, retry_after: int | None = None, times: int = 1) -> None:
        """The next calls of `method` answer with this HTTP status; `retry_after` is in seconds."""
        error = "ratelimited" if status == 429 else "internal_error"
        self._queue(method).extend([Fault(error, status, retry_after)] * times)

    def take(self, method: str) -> Fault | None:
        """The fault that this call meets, if one is left."""
        queue = self._pending.get(method)
        return queue.popleft() if queue else None

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Sends the disconnect frame (`warning`, `refresh_requested`, ...) to every connection."""
        await self._sockets.disconnect(reason)

    async def drop_connections(self) -> None:
        """Resets every TCP connection, without a closing handshake."""
        await self._sockets.abort()

    def _queue(self, method: str) -> deque[Fault]:
        return self._pending.setdefault(method, deque())
