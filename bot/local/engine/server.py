"""An engine on a port of its own. One process can have many: an engine costs a socket and nothing that runs.

As vLLM does it binds its port before it loads and listens only when it serves, so an early client is refused. Under
`/sim/faults` a test reads and sets what is wrong with it: `POST {"hung": true}`, `DELETE` heals it.
"""

import asyncio
import contextlib
import json
import socket
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from aiohttp import web

from bot.local.engine.api import NotServingError, handle
from bot.local.engine.arguments import EngineArgs
from bot.local.engine.engine import Engine

_CONTROL = "/sim/faults"
_LOOK_SECONDS = 0.02


def utc_now() -> datetime:
    return datetime.now(UTC)


class EngineServer:
    """args.port 0 takes any free one. `startup_seconds`: until it serves."""

    def __init__(self, args: EngineArgs, startup_seconds: float = 0.0, *, load: float = 0.0) -> None:
        began = utc_now()
        self.engine = Engine(args, began, began + timedelta(seconds=startup_seconds), utc_now, load=load)
        self._socket = _bound(args.port)
        self._open: set[asyncio.Transport] = set()
        self._runner = web.ServerRunner(
            web.Server(self._handle, access_log=None, handler_cancellation=True), shutdown_timeout=1.0
        )

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Returns when it serves."""
        await self._runner.setup()
        await asyncio.sleep(max(0.0, (self.engine.ready_at - utc_now()).total_seconds()) + _LOOK_SECONDS)
        await web.SockSite(self._runner, self._socket).start()

    async def stop(self) -> None:
        """Lets running requests end within the seconds that --shutdown-timeout gives, aborts the rest."""
        self.engine.draining = True
        for site in list(self._runner.sites):
            await site.stop()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.engine.args.drain_seconds):
                await self._idle()
        for connection in list(self._open):
            connection.abort()
        await self._idle()
        await self._runner.cleanup()
        self._socket.close()

    async def _idle(self) -> None:
        """Until the last request has ended."""
        while self.engine.running or self.engine.queued:  # noqa: ASYNC110  # they end one by one
            await asyncio.sleep(_LOOK_SECONDS)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        connection = request.transport
        if not isinstance(connection, asyncio.Transport):
            return await self._answer(request)
        self._open.add(connection)
        try:
            return await self._answer(request)
        finally:
            self._open.discard(connection)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == _CONTROL:
            return await self._control(request)
        try:
            return await handle(self.engine, request, request.path)
        except NotServingError:
            return web.Response(status=503)

    async def _control(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "DELETE":
            self.engine.heals()
        elif request.method == "POST":
            try:
                self.engine.breaks(**json.loads(await request.text()))
            except (ValueError, TypeError, AttributeError) as error:
                return web.json_response({"error": str(error)}, status=400)
        return web.json_response(asdict(self.engine.faults))


def _bound(port: int) -> socket.socket:
    """Not yet listening."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
    except OSError:
        made.close()
        raise
    made.setblocking(False)
    return made
