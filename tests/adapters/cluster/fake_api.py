"""A scripted API server on loopback: lists in pages, watches, and every way in which those go wrong."""

import asyncio
import json
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Object = dict[str, Any]
PREFIXES = {
    "nodes": "/api/v1",
    "pods": "/api/v1",
    "namespaces": "/api/v1",
    "replicasets": "/apis/apps/v1",
    "jobs": "/apis/batch/v1",
    "poddisruptionbudgets": "/apis/policy/v1",
    "priorityclasses": "/apis/scheduling.k8s.io/v1",
    "resourceslices": "/apis/resource.k8s.io/v1",
    "resourceclaims": "/apis/resource.k8s.io/v1",
    "deviceclasses": "/apis/resource.k8s.io/v1",
    "persistentvolumeclaims": "/api/v1",
    "persistentvolumes": "/api/v1",
    "storageclasses": "/apis/storage.k8s.io/v1",
    "csinodes": "/apis/storage.k8s.io/v1",
    "csidrivers": "/apis/storage.k8s.io/v1",
    "csistoragecapacities": "/apis/storage.k8s.io/v1",
    "volumeattachments": "/apis/storage.k8s.io/v1",
}


class RefuseError(Exception):
    """Raised by a rule: the server answers with that status."""

    def __init__(self, status: int, reason: str = "", message: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(status)
        self.status = status
        self.reason = reason
        self.message = message
        self.headers = headers or {}


class FakeApi:
    """`rules` are called with each request (plural, verb, request) and may raise RefuseError, or wait.

    `cut` says at how many bytes a watch's stream is cut into chunks; `log` is what a watch can be resumed from.
    """

    def __init__(self) -> None:
        self.prefixes = dict(PREFIXES)
        self.objects: dict[str, dict[str, Object]] = {plural: {} for plural in PREFIXES}
        self.version = 100
        self.oldest = 0  # a watch or continue token from before is answered with 410
        self.log: list[tuple[int, str, str, Object]] = []
        self.rules: list[Callable[[str, str, web.Request], Any]] = []
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.served: Counter[tuple[str, str]] = Counter()
        self.token: str | None = None
        self.cut = 0
        self.limit: int | None = None  # pages are no longer than this, whatever is asked for
        self.has_watch_list = True
        self.metadata_last = False
        self.gone_as_event = True
        self.port = 0
        self.arrived = asyncio.Condition()
        self._watches: dict[asyncio.Queue[bytes | None], tuple[str, str, web.Request]] = {}
        self._runner: web.AppRunner | None = None

    # ---- its life ------------------------------------------------------------------------------------------------

    async def start(self, tls: ssl.SSLContext | None = None) -> None:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, ssl_context=tls, reuse_address=True)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]

    async def stop(self) -> None:
        for queue in self._watches:
            queue.put_nowait(None)
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    # ---- what happens in the cluster --------------------------------------------------------------------------------

    def put(self, plural: str, obj: Object) -> Object:
        """Create or change an object; watches hear of it."""
        key = _key(obj)
        event = "MODIFIED" if key in self.objects[plural] else "ADDED"
        self.version += 1
        obj["metadata"]["resourceVersion"] = str(self.version)
        self.objects[plural][key] = obj
        self._happened(event, plural, obj)
        return obj

    def remove(self, plural: str, key: str) -> None:
        obj = self.objects[plural].pop(key)
        self.version += 1
        obj = {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(self.version)}}
        self._happened("DELETED", plural, obj)

    def bookmark(self) -> None:
        """Tell all watches the current version."""
        self.version += 1
        for queue, (plural, _, _) in self._watches.items():
            queue.put_nowait(_line("BOOKMARK", _bookmark(plural, self.version)))

    def forget(self) -> None:
        """Everything before now is compacted away."""
        self.oldest = self.version
        self.log.clear()

    def say(self, line: bytes) -> None:
        """Send those bytes to all watches as they are."""
        for queue in self._watches:
            queue.put_nowait(line)

    def drop(self, *, half: bytes = b"") -> None:
        """Break all watches without a word, after `half` a line."""
        for queue, (_, _, request) in self._watches.items():
            if half:
                queue.put_nowait(half)
            queue.put_nowait(b"\0drop")
            del request

    def end(self) -> None:
        """End all watches properly, as a server does after timeoutSeconds."""
        for queue in self._watches:
            queue.put_nowait(None)

    async def until(self, verb: str, plural: str, times: int = 1) -> None:
        """Wait until that request has been made so often."""
        async with asyncio.timeout(10), self.arrived:
            await self.arrived.wait_for(lambda: self.served[verb, plural] >= times)

    def _happened(self, event: str, plural: str, obj: Object) -> None:
        obj = json.loads(json.dumps(obj))
        self.log.append((self.version, event, plural, obj))
        for queue, (watched, namespace, _) in self._watches.items():
            if watched == plural and namespace in ("", obj["metadata"].get("namespace")):
                queue.put_nowait(_line(event, obj))

    # ---- answers -------------------------------------------------------------------------------------------------

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        plural, namespace = self._asked(request.path)
        verb = "watch" if request.query.get("watch") else "list"
        self.requests.append((verb, plural, dict(request.query)))
        async with self.arrived:
            self.served[verb, plural] += 1
            self.arrived.notify_all()
        try:
            if self.token is not None and request.headers.get("Authorization") != f"Bearer {self.token}":
                raise RefuseError(401, "Unauthorized", "Unauthorized")
            if plural not in self.objects:
                raise RefuseError(404, "NotFound", "the server could not find the requested resource")
            for rule in self.rules:
                waiting = rule(plural, verb, request)
                if waiting is not None:
                    await waiting
            if verb == "watch":
                return await self._watch(plural, namespace, request)
            return self._list(plural, namespace, request)
        except RefuseError as refusal:
            status = {"kind": "Status", "code": refusal.status, "reason": refusal.reason, "message": refusal.message}
            return web.json_response(status, status=refusal.status, headers=refusal.headers)

    def _asked(self, path: str) -> tuple[str, str]:
        prefix, _, plural = path.rpartition("/")
        root, found, namespace = prefix.partition("/namespaces/")
        return (plural, namespace if found else "") if self.prefixes.get(plural) == root else ("", "")

    def _list(self, plural: str, namespace: str, request: web.Request) -> web.Response:
        start, at = 0, self.version
        if token := request.query.get("continue"):
            start, at = map(int, token.split("-"))
            if at < self.oldest:
                raise RefuseError(410, "Expired", "The provided continue parameter is too old")
        there = [one for _, one in sorted(self.objects[plural].items())]
        there = [one for one in there if not namespace or one["metadata"].get("namespace") == namespace]
        limit = int(request.query.get("limit", 0)) or len(there) or 1
        limit = min(limit, self.limit) if self.limit and "limit" in request.query else limit
        meta: Object = {"resourceVersion": str(at)}
        if start + limit < len(there):
            meta["continue"] = f"{start + limit}-{at}"
        items = {"items": there[start : start + limit] or None}
        body = {"kind": "List", **items, "metadata": meta} if self.metadata_last else {"metadata": meta, **items}
        return web.Response(body=json.dumps(body, separators=(",", ":")).encode(), content_type="application/json")

    async def _watch(self, plural: str, namespace: str, request: web.Request) -> web.StreamResponse:
        initial = request.query.get("sendInitialEvents") == "true"
        if initial and not self.has_watch_list:
            raise RefuseError(
                422, "Invalid", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is on"
            )
        version = int(request.query.get("resourceVersion") or self.version)
        too_old = not initial and version < self.oldest
        if too_old and not self.gone_as_event:
            raise RefuseError(410, "Expired", "too old resource version")
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(request)
        if too_old:
            await answer.write(_line("ERROR", {"kind": "Status", "code": 410, "reason": "Expired"}))
            return answer
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        for line in self._missed(plural, namespace, version, initial):
            queue.put_nowait(line)
        self._watches[queue] = (plural, namespace, request)
        try:
            await self._stream(answer, queue, request)
        finally:
            del self._watches[queue]
        return answer

    def _missed(self, plural: str, namespace: str, version: int, initial: bool) -> list[bytes]:
        if initial:
            added = [_line("ADDED", obj) for obj in self.objects[plural].values()]
            end = _bookmark(plural, self.version)
            end["metadata"]["annotations"] = {"k8s.io/initial-events-end": "true"}
            return [*added, _line("BOOKMARK", end)]
        return [
            _line(event, obj)
            for at, event, kind, obj in self.log
            if at > version and kind == plural and namespace in ("", obj["metadata"].get("namespace"))
        ]

    async def _stream(
        self, answer: web.StreamResponse, queue: asyncio.Queue[bytes | None], request: web.Request
    ) -> None:
        while (data := await queue.get()) is not None:
            if data == b"\0drop":
                if request.transport is not None:
                    request.transport.abort()
                return
            step = self.cut or len(data)
            for start in range(0, len(data), step):
                await answer.write(data[start : start + step])
                if self.cut:
                    await asyncio.sleep(0)


def _key(obj: Object) -> str:
    meta = obj["metadata"]
    return f"{meta['namespace']}/{meta['name']}" if meta.get("namespace") else str(meta["name"])


def _line(event: str, obj: Object) -> bytes:
    return json.dumps({"type": event, "object": obj}, separators=(",", ":")).encode() + b"\n"


def _bookmark(plural: str, version: int) -> Object:
    meta = {"resourceVersion": str(version), "creationTimestamp": None}
    return {"kind": plural, "metadata": meta, "spec": {"containers": None}, "status": {}}


@asynccontextmanager
async def running(tls: ssl.SSLContext | None = None) -> AsyncIterator[FakeApi]:
    api = FakeApi()
    await api.start(tls)
    try:
        yield api
    finally:
        await api.stop()
