"""An engine that answers as told, and an API server that knows its pod."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from bot.domain.pod import Container, Pod
from bot.domain.source import Reading, Source
from tests.adapters.nodes.conftest import serving
from tests.adapters.nodes.fakes import Answer, FakeCluster

IMAGE = "vllm/vllm-openai:v0.33.0"
LABELS = '{engine="0",model_name="glm"}'


def page(running: float = 2, tokens: float = 1000) -> bytes:
    told = {"num_requests_running": running, "num_requests_waiting": 0, "generation_tokens_total": tokens}
    return "".join(f"vllm:{name}{LABELS} {value}\n" for name, value in told.items()).encode()


class FakeEngine:
    """Serves a page; `answer` replaces it."""

    def __init__(self) -> None:
        self.port, self.page = 0, page()
        self.answer: Answer | None = None
        self.paths: list[str] = []
        self.now = self.most = 0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.paths.append(request.path)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await self.answer(request) if self.answer else web.Response(body=self.page)
        finally:
            self.now -= 1


def add(cluster: FakeCluster, name: str, port: int, *, image: str = IMAGE, **changed: Any) -> Pod:
    """A pod in the view, and its whole object on the API server. changed: of metadata, `command` and `address`."""
    command = changed.pop("command", ["vllm", "serve", "glm", "--port", str(port)])
    address = changed.pop("address", "127.0.0.1")
    meta = {"namespace": "llm", "name": name, "uid": f"uid-{name}", **changed}
    cluster.pods[f"llm/{name}"] = {
        "metadata": meta,
        "spec": {"nodeName": "gpu-1", "containers": [{"name": "main", "image": image, "command": command}]},
        "status": {"phase": "Running", "podIP": address},
    }
    record = Pod(
        name=name,
        namespace="llm",
        uid=f"uid-{name}",
        node="gpu-1",
        phase="Running",
        labels=changed.get("labels", {}),
        containers=(Container("main", image),),
    )
    cluster.view.put("pods", f"llm/{name}", record)
    cluster.view.sources["pods"] = Source("pods", Reading.LIVE)
    return record


@asynccontextmanager
async def surroundings() -> AsyncIterator[tuple[FakeCluster, FakeEngine]]:
    """glm-0 is there; further pods are added by tests."""
    cluster, engine = FakeCluster(), FakeEngine()
    async with serving(engine.handle) as engine.port, serving(cluster.handle) as port:
        cluster.url = f"http://127.0.0.1:{port}"
        add(cluster, "glm-0", engine.port)
        yield cluster, engine
