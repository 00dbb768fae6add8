"""What the tests ask: an agent that answers as told, and an API server with pods and a pod proxy."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
from aiohttp import web

from bot import __version__
from bot.domain.pod import Pod
from bot.domain.source import Reading, Source
from bot.domain.view import View

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
TOKEN = "a-token-of-sixteen-or-more"
Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
UNROUTABLE = "240.0.0.1"  # reserved (RFC 1112): no network answers there


def reading(node: str = "gpu-1", *, ahead_seconds: float = 0, age_seconds: float | None = 2, **more: Any) -> bytes:
    """As an agent serves it whose clock is that far ahead of NOW."""
    taken = NOW + timedelta(seconds=ahead_seconds - (age_seconds or 0))
    told = {"node": node, "agentVersion": __version__, "takenAt": taken.isoformat(), "ageSeconds": age_seconds}
    return json.dumps({**told, "gpus": [{"index": 0, "uuid": "GPU-1"}], **more}).encode()


async def never(request: web.BaseRequest) -> web.StreamResponse:
    del request
    await asyncio.Event().wait()
    raise AssertionError


class FakeAgent:
    """Serves pages; `answer` replaces them. Takes the token in either header, as one behind the API server must."""

    def __init__(self) -> None:
        self.port = 0
        self.token = ""
        self.pages: dict[str, bytes] = {"/reading": reading(), "/kernel": b"2026-06-01T11:00:00+00:00 kernel: NVRM\n"}
        self.answer: Answer | None = None
        self.requests: list[web.BaseRequest] = []
        self.now = self.most = 0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests.append(request)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await (self.answer or self._page)(request)
        finally:
            self.now -= 1

    async def _page(self, request: web.BaseRequest) -> web.StreamResponse:
        shown = request.headers.get("Authorization", "").removeprefix("Bearer "), request.headers.get("X-Gpubot-Token")
        if self.token and self.token not in shown:
            return web.Response(status=401, text="Not without the agent's token.\n")
        page = self.pages.get(request.path)
        return web.Response(body=page) if page is not None else web.Response(status=404, text="404: Not Found")


class FakeCluster:
    """An API server: pods by name, a list of agents, and pods/proxy, which takes `Authorization` off as a real one."""

    def __init__(self) -> None:
        self.url = ""
        self.view = View("test")
        self.view.sources["pods"] = Source("pods", Reading.READ)
        self.pods: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.proxy_allowed = True
        self.page_pods = 500

    def add(
        self,
        namespace: str,
        name: str,
        node: str,
        ports: dict[str, int],
        *,
        address: str = "127.0.0.1",
        phase: str = "Running",
        deleted: str = "",
        created: str = "2026-06-01T00:00:00Z",
        labels: dict[str, str] | None = None,
    ) -> None:
        labels = {"app.kubernetes.io/name": "gpubot-agent"} if labels is None else labels
        listens = [{"name": port, "containerPort": number} for port, number in ports.items()]
        meta = {"namespace": namespace, "name": name, "labels": labels, "creationTimestamp": created}
        self.pods[f"{namespace}/{name}"] = {
            "metadata": {**meta, **({"deletionTimestamp": deleted} if deleted else {})},
            "spec": {"nodeName": node, "containers": [{"name": "agent", "ports": listens}]},
            "status": {"phase": phase, "podIP": address},
        }
        record = Pod(
            name=name,
            uid=name,
            created=created,
            namespace=namespace,
            node=node,
            phase=phase,
            labels=labels,
            deleted=deleted,
        )
        self.view.put("pods", f"{namespace}/{name}", record)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request.path)
        parts = request.path.strip("/").split("/")  # api v1 namespaces NS pods [NAME [proxy PAGE]]
        if len(parts) == 5:
            return self._list(request)
        if len(parts) > 6:
            return await self._proxy(request, parts[3], parts[5], "/".join(parts[7:]))
        pod = self.pods.get(f"{parts[3]}/{parts[5]}")
        return web.json_response(pod) if pod else _status(404, "NotFound", "not found")

    def _list(self, request: web.BaseRequest) -> web.StreamResponse:
        start, namespace = int(request.query.get("continue", 0)), request.path.split("/")[4]
        there = [pod for key, pod in self.pods.items() if key.startswith(f"{namespace}/")]
        end = start + self.page_pods
        meta = {"continue": str(end)} if end < len(there) else {}
        return web.json_response({"metadata": meta, "items": there[start:end]})

    async def _proxy(self, request: web.BaseRequest, namespace: str, name: str, page: str) -> web.StreamResponse:
        if not self.proxy_allowed:
            return _status(403, "Forbidden", 'User "bot" cannot get resource "pods/proxy"')
        pod, _, port = name.partition(":")
        if f"{namespace}/{pod}" not in self.pods:
            return _status(404, "NotFound", "not found")
        headers = {key: value for key, value in request.headers.items() if key not in ("Authorization", "Host")}
        async with aiohttp.ClientSession() as session:
            try:
                async with session.get(f"http://127.0.0.1:{port}/{page}", headers=headers) as answer:
                    return web.Response(body=await answer.read(), status=answer.status)
            except aiohttp.ClientConnectorError:
                return _status(503, "ServiceUnavailable", "error trying to reach service: connection refused")


def _status(status: int, reason: str, message: str) -> web.Response:
    return web.json_response({"kind": "Status", "code": status, "reason": reason, "message": message}, status=status)
