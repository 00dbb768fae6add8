"""A simulated cluster whose pods serve models, and a client that asks them through the API server."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from bot.local.cluster.api import ApiServer
from bot.local.cluster.api.proxying import Proxied
from bot.local.cluster.clock import Clock
from bot.local.cluster.controllers import Controllers
from bot.local.cluster.engines import Engines
from bot.local.cluster.simulator import Client, Server, Simulator
from bot.local.cluster.simulator.logs import log_of
from bot.local.cluster.store import RESOURCES, Store
from tests.local.cluster.simulator.helpers import SYSTEM, World, a_gpu_node

Obj = dict[str, Any]
NAME, PORT = "glm-0", 8000
SERVE = ["zai-org/GLM-4.7-Flash", "--served-model-name=glm", "--enable-auto-tool-choice", "--tool-call-parser=glm47"]
READY = "gpubot.dev/sim-ready-seconds"


class EngineWorld(World):
    """`engines` is what a test looks into; all else is asked over HTTP."""

    engines: Engines

    async def serve(
        self, *args: str, name: str = NAME, annotations: Mapping[str, str] | None = None, **spec: Any
    ) -> None:
        """A pod of vLLM, labelled for the Service `glm`."""
        container = {"name": "vllm", "image": "vllm/vllm-openai:v0.33.0", "command": ["vllm", "serve"]}
        container |= {"args": list(args or SERVE), "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        container |= spec.pop("container", {})
        told = {"gpubot.dev/sim-pull-seconds": "1", **(annotations or {})}
        meta = {"name": name, "labels": {"app": "glm"}, "annotations": told}
        pod = {"metadata": meta, "spec": {"containers": [container], **spec}}
        await self.client.create("/api/v1/namespaces/default/pods", pod)

    async def service(self) -> None:
        spec = {"selector": {"app": "glm"}, "ports": [{"port": PORT}]}
        await self.client.create("/api/v1/namespaces/default/services", {"metadata": {"name": "glm"}, "spec": spec})

    async def log(self, name: str = NAME, **query: str) -> str:
        path = f"/api/v1/namespaces/default/pods/{name}/log"
        async with aiohttp.ClientSession() as session, session.get(self.server.url + path, params=query) as answer:
            assert answer.status == 200
            return await answer.text()

    async def ask(self, path: str, body: object = None, *, via: str = f"pods/{NAME}:{PORT}") -> tuple[int, str]:
        """Through the API server's proxy."""
        url = f"{self.server.url}/api/v1/namespaces/default/{via}/proxy{path}"
        method = "GET" if body is None else "POST"
        async with aiohttp.ClientSession() as session, session.request(method, url, json=body) as answer:
            return answer.status, await answer.text()

    async def models(self, via: str = f"pods/{NAME}:{PORT}") -> list[str]:
        status, told = await self.ask("/v1/models", via=via)
        return [one["id"] for one in json.loads(told)["data"]] if status == 200 else []

    async def crashes(self, name: str = NAME) -> Obj:
        """Waits for CrashLoopBackOff; how the container ended."""
        await self.until(lambda: self._waits(name))
        return dict((await self.pod(name))["status"]["containerStatuses"][0]["lastState"]["terminated"])

    async def _waits(self, name: str) -> bool:
        return (await self.status(name))[2] == "CrashLoopBackOff"


@asynccontextmanager
async def an_engine_world(speed: float = 200.0) -> AsyncIterator[EngineWorld]:
    """One node with eight GPUs."""
    clock = Clock(speed=speed)
    store = Store(clock=clock)
    for name in SYSTEM:
        store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": name}})

    async def proxied(request: web.BaseRequest, asked: Proxied) -> web.StreamResponse:
        return await world.engines.proxied(request, asked)

    def logs(namespace: str, pod: str, container: str, query: Mapping[str, str]) -> str:
        said = world.engines.log(namespace, pod, container, previous=query.get("previous") == "true")
        return log_of(world.simulator, namespace, pod) if said is None else "\n".join([*said, ""])

    server, controllers = ApiServer(store, logs=logs, proxy=proxied), Controllers(store, clock)
    await server.start()
    controllers.start()
    async with Client(Server(server.url)) as client:
        simulator = Simulator(client, clock)
        world = EngineWorld(client, simulator, clock, server)
        world.engines = Engines(store, simulator, clock)
        await simulator.start()
        try:
            await simulator.add_nodes([a_gpu_node()])
            yield world
        finally:
            await simulator.stop()
    await controllers.stop()
    await server.stop()
