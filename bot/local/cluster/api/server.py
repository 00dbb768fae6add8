"""The API server of the local cluster: the wire that kubectl, the bot and the official client speak."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import StreamReader
from aiohttp.web_protocol import RequestHandler

from bot.local.cluster.api import proxying
from bot.local.cluster.api.access import Allow, User, authenticate, refusal
from bot.local.cluster.api.context import Call, Logs, Serving, Usage
from bot.local.cluster.api.discovery import discover
from bot.local.cluster.api.dispatch import handler_of, is_watch
from bot.local.cluster.api.faults import Faults
from bot.local.cluster.api.hub import Hub
from bot.local.cluster.api.impersonation import acting_as
from bot.local.cluster.api.kubeconfig import kubeconfig, write
from bot.local.cluster.api.media import answer
from bot.local.cluster.api.openapi import openapi
from bot.local.cluster.api.paths import Target, target_of, verb_of
from bot.local.cluster.api.proxying import Proxy, proxied
from bot.local.cluster.api.rbac import Ask
from bot.local.cluster.store import RESOURCES, Store
from bot.local.cluster.store.errors import ApiError

_HOST = "127.0.0.1"
_LARGEST_BODY_BYTES = 3 << 20  # kube-apiserver's own limit
_LARGEST_LINE_BYTES = 1 << 16  # selectors can be long
_log = logging.getLogger(__name__)


class ApiServer:
    """Serves one store over HTTP on loopback.

    Give `tokens` to demand a bearer token (401 otherwise), and `allow` to decide what each user may do (403); without
    it the stored roles and bindings decide.
    `logs` gives the text of a container's log, `usage` what `kubectl top` shows, `proxy` what answers behind pods and
    services.
    """

    def __init__(
        self,
        store: Store,
        *,
        tokens: Mapping[str, User] | None = None,
        allow: Allow | None = None,
        version: str = "v1.36.3",
        logs: Logs | None = None,
        usage: Usage | None = None,
        proxy: Proxy | None = None,
        bookmark_seconds: float = 15.0,
    ) -> None:
        hub = Hub()
        hub.follow(store)
        self._serving = Serving(store, hub, tokens, allow, logs, usage, proxy, version, bookmark_seconds)
        self._faults = Faults()
        self._runner: web.ServerRunner | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """Where it listens, e.g. http://127.0.0.1:41235."""
        return f"http://{_HOST}:{self._port}"

    @property
    def open_watches(self) -> int:
        """How many watches are open."""
        return len(self._serving.hub)

    async def start(self, port: int = 0) -> None:
        """Listen on `port`, or on a free one when it is 0 or taken."""
        try:
            await self._listen(port)
        except OSError:
            await self._listen(0)

    async def _listen(self, port: int) -> None:
        server = web.Server(
            self._handle,
            request_factory=_request,
            handler_cancellation=True,  # a watch ends when its client goes
            access_log=None,
            max_line_size=_LARGEST_LINE_BYTES,
        )
        runner = web.ServerRunner(server)
        await runner.setup()
        try:
            await web.TCPSite(runner, _HOST, port).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        self._port = int(runner.addresses[0][1])

    async def stop(self) -> None:
        """Close every connection and stop listening."""
        await self.pause()

    async def pause(self) -> None:
        """Refuse connections, and close those that are open, until `resume`."""
        runner, self._runner = self._runner, None
        if runner is not None:
            for site in list(runner.sites):  # first no new connections: a client that is dropped comes back at once
                await site.stop()
            self._serving.hub.drop_all()
            await runner.cleanup()

    async def resume(self) -> None:
        """Listen again, on the same port."""
        if self._runner is None:
            await self._listen(self._port)

    def drop_watches(self) -> None:
        """End all open watches, as a restart of the API server does."""
        self._serving.hub.drop_all()

    def compact(self) -> None:
        """Forget the history: watches and pages from earlier versions get 410."""
        self._serving.store.compact()

    def fail(self, path_prefix: str, status: int, times: int = 1) -> None:
        """Answer the next `times` requests under a path with an error."""
        self._faults.add(path_prefix, status, times)

    def kubeconfig(self, token: str | None = None) -> dict[str, Any]:
        """Return a kubeconfig for this server."""
        return kubeconfig(self.url, token)

    def write_kubeconfig(self, path: Path | str, token: str | None = None) -> None:
        """Write a kubeconfig for this server to a file."""
        write(Path(path), self.kubeconfig(token))

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        response = await self._answer_or_refusal(request)
        if not response.prepared:  # the head of a watch is sent by itself
            response.headers["Audit-Id"] = str(uuid.uuid4())
        return response

    async def _answer_or_refusal(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except ApiError as error:
            return answer(error.status_body(), error.code)
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            # an object of another shape than its kind has: the sender's mistake, which a schema would have caught
            _log.warning("request not understood: %s %s", request.method, request.path, exc_info=True)
            unread = ApiError(400, "BadRequest", f"the object provided is not understood: {error!r}")
            return answer(unread.status_body(), unread.code)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        serving, path = self._serving, request.path
        self._faults.strike(path)
        user = authenticate(request.headers.get("Authorization", ""), serving.tokens)
        asked = proxied(path)
        if asked is not None and serving.proxy is not None:
            user = acting_as(user, request, serving.may)
            verb = proxying.verb_of(request.method)
            if not serving.may(user, Ask(verb, "", f"{asked.plural}/proxy", asked.namespace, asked.name)):
                raise refusal(user, verb, Target(RESOURCES["", asked.plural], asked.namespace, asked.name, "proxy"))
            return await serving.proxy(request, asked)
        target = target_of(path, serving.store.resources)
        if target is None:
            if path.startswith("/openapi/"):
                return await openapi(path, serving.store, serving.version)
            return discover(path, request.headers.get("Accept", ""), serving.store.resources, serving.version)
        user = acting_as(user, request, serving.may)
        verb = verb_of(request.method, target, is_watch(request))
        ask = Ask(verb, target.resource.group, target.qualified_resource, target.namespace, target.name)
        if not serving.may(user, ask):
            raise refusal(user, verb, target)
        call = Call(serving, request, user, target)
        return await handler_of(call)(call)


def _request(
    message: RawRequestMessage,
    payload: StreamReader,
    protocol: RequestHandler,
    writer: AbstractStreamWriter,
    task: asyncio.Task[None],
) -> web.BaseRequest:
    loop = asyncio.get_running_loop()
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=_LARGEST_BODY_BYTES)
