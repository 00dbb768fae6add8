"""Socket Mode: connections of the bot, one envelope to one of them in turn, acknowledgements within three seconds.

Facts: https://docs.slack.dev/apis/events-api/using-socket-mode/ ; slackapi/bolt-python issue 579 (one payload goes to
one connection), slackapi/python-slack-sdk issue 1065 (`dispatch_failed` when nobody is connected).
"""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import dataclass

from aiohttp import WSMsgType, web

from bot.local.workspace.ids import Ids
from bot.local.workspace.journal import Journal
from bot.local.workspace.messages import Json
from bot.local.workspace.setup import APP_ID

ACK_TIMEOUT_SECONDS = 3.0
MOST_CONNECTIONS = 10
PING_INTERVAL_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Ack:
    """`error` is None, `dispatch_failed` (nobody connected) or `operation_timeout` (no acknowledgement in time)."""

    error: str | None
    payload: Json | None
    after_seconds: float


@dataclass(eq=False, slots=True)
class Connection:
    socket: web.WebSocketResponse
    request: web.Request
    leaving: bool = False

    @property
    def is_open(self) -> bool:
        return not self.leaving and not self.socket.closed


class Sockets:
    def __init__(self, ids: Ids, journal: Journal) -> None:
        self.ack_timeout_seconds = ACK_TIMEOUT_SECONDS
        self._ids = ids
        self._journal = journal
        self._tickets: set[str] = set()
        self._connections: list[Connection] = []
        self._waiting: dict[str, asyncio.Future[Json | None]] = {}
        self._turn = 0
        self._somebody = asyncio.Event()

    def ticket(self) -> str:
        """Permission for one connection."""
        ticket = self._ids.secret()
        self._tickets.add(ticket)
        return ticket

    @property
    def open_connections(self) -> int:
        return sum(connection.is_open for connection in self._connections)

    async def connected(self, timeout_seconds: float) -> None:
        """Waits until the bot has said hello; raises TimeoutError."""
        await asyncio.wait_for(self._somebody.wait(), timeout_seconds)

    async def link(self, request: web.Request) -> web.StreamResponse:
        """The WebSocket endpoint."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=403, text="invalid_ticket")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(heartbeat=PING_INTERVAL_SECONDS)
        await socket.prepare(request)
        connection = Connection(socket, request)
        try:
            await self._greet(connection)
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    self._acknowledge(frame.data)
        except ConnectionResetError:
            self._journal.note("in", "connection_lost", None)
        finally:
            self._forget(connection)
        return socket

    async def deliver(self, kind: str, payload: Json, *, retry: tuple[int, str] | None = None) -> Ack:
        """Sends one envelope to the connection whose turn it is and waits for the acknowledgement.

        `retry` is attempt (0 for the first) and reason, for Events API envelopes only.
        """
        envelope_id = str(uuid.uuid4())
        envelope: Json = {"envelope_id": envelope_id, "type": kind, "payload": payload}
        envelope["accepts_response_payload"] = retry is None
        if retry is not None:
            envelope["retry_attempt"], envelope["retry_reason"] = retry
        loop = asyncio.get_running_loop()
        acknowledgement: asyncio.Future[Json | None] = loop.create_future()
        self._waiting[envelope_id] = acknowledgement
        started = loop.time()
        try:
            if not await self._send(envelope):
                return Ack("dispatch_failed", None, 0.0)
            answer = await asyncio.wait_for(acknowledgement, self.ack_timeout_seconds)
            return Ack(None, answer, loop.time() - started)
        except TimeoutError:
            return Ack("operation_timeout", None, loop.time() - started)
        finally:
            del self._waiting[envelope_id]

    async def disconnect(self, reason: str) -> None:
        """A frame that asks every connection to be replaced; only a `warning` leaves it in use for now."""
        frame = {"type": "disconnect", "reason": reason, "debug_info": {"host": "local"}}
        self._journal.note("out", "disconnect", frame)
        for connection in list(self._connections):
            connection.leaving = reason != "warning"
            await connection.socket.send_json(frame)
        self._count()

    async def abort(self) -> None:
        for connection in list(self._connections):
            if connection.request.transport is not None:
                connection.request.transport.abort()
            self._forget(connection)

    async def close(self) -> None:
        await asyncio.gather(*(connection.socket.close() for connection in list(self._connections)))

    async def _greet(self, connection: Connection) -> None:
        if self.open_connections >= MOST_CONNECTIONS:
            await connection.socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await connection.socket.close()
            return
        hello = {
            "type": "hello",
            "num_connections": self.open_connections + 1,
            "debug_info": {"host": "local", "approximate_connection_time": 18060},
            "connection_info": {"app_id": APP_ID},
        }
        await connection.socket.send_json(hello)
        self._journal.note("out", "hello", hello)
        self._connections.append(connection)
        self._count()

    async def _send(self, envelope: Json) -> bool:
        text = json.dumps(envelope)
        for _ in range(len(self._connections)):
            candidates = [connection for connection in self._connections if connection.is_open]
            if not candidates:
                return False
            chosen = candidates[self._turn % len(candidates)]
            self._turn += 1
            try:
                await chosen.socket.send_str(text)
            except ConnectionResetError:
                self._forget(chosen)
                continue
            self._journal.note("out", envelope["type"], envelope)
            return True
        return False

    def _acknowledge(self, text: str) -> None:
        answer = json.loads(text)
        self._journal.note("in", "ack", answer)
        waiting = self._waiting.get(answer.get("envelope_id", ""))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer.get("payload"))

    def _forget(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
        self._count()

    def _count(self) -> None:
        if self.open_connections:
            self._somebody.set()
        else:
            self._somebody.clear()
