"""A whole cluster without a fleet: API server, controllers and simulator, for a test to fill."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from bot.local.cluster.api import ApiServer
from bot.local.cluster.clock import Clock
from bot.local.cluster.controllers import Controllers
from bot.local.cluster.simulator import Client, Faults, NodeSpec, Server, Simulator
from bot.local.cluster.store import RESOURCES, Store

Obj = dict[str, Any]
GPU = "nvidia.com/gpu"
SYSTEM = ("default", "kube-node-lease")


class World:
    """Everything is asked over HTTP, as users would."""

    def __init__(self, client: Client, simulator: Simulator, clock: Clock, server: ApiServer) -> None:
        self.client, self.simulator, self.clock, self.server = client, simulator, clock, server
        self.faults = Faults(simulator)

    async def run(self, name: str, *, gpus: int = 0, resource: str = GPU, node: str = "", **more: Any) -> None:
        limits = {resource: str(gpus)} if gpus else {}
        spec: Obj = {"containers": [{"name": "main", "image": "app:1", "resources": {"limits": limits}}]}
        spec |= {"nodeName": node} if node else {}
        annotations = more.pop("annotations", {})
        pod = {"metadata": {"name": name, "annotations": annotations}, "spec": spec | more}
        await self.client.create("/api/v1/namespaces/default/pods", pod)

    async def pod(self, name: str) -> Obj:
        return await self.client.get(f"/api/v1/namespaces/default/pods/{name}")

    async def node(self, name: str) -> Obj:
        return await self.client.get(f"/api/v1/nodes/{name}")

    async def status(self, name: str) -> tuple[str, bool, str, int]:
        """Phase, ready, what its container waits for or how it ended, restarts."""
        status = (await self.pod(name))["status"]
        container = (status.get("containerStatuses") or [{"state": {}, "restartCount": 0}])[0]
        state: Obj = next(iter(container["state"].values()), {})
        ready = any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions", []))
        return status.get("phase", ""), ready, state.get("reason", ""), container["restartCount"]

    async def events(self, reason: str) -> list[str]:
        found, _ = await self.client.list("/api/v1/events")
        return [event["message"] for event in found if event["reason"] == reason]

    async def until(self, holds: Callable[[], Any], seconds: float = 8.0, every: float = 0.005) -> None:
        async with asyncio.timeout(seconds):
            while not await holds():  # noqa: ASYNC110 - asked over the wire
                await asyncio.sleep(every)

    async def ready(self, *names: str) -> None:
        for name in names:
            await self.until(lambda name=name: self._is_ready(name))

    async def _is_ready(self, name: str) -> bool:
        return (await self.status(name))[1]

    async def everything(self) -> dict[str, Obj]:
        """All nodes and pods without what changes by itself: versions and heartbeats."""
        found = {}
        for path in ("/api/v1/nodes", "/api/v1/pods"):
            for obj in (await self.client.list(path))[0]:
                status = dict(obj["status"])
                status["conditions"] = [
                    {k: v for k, v in c.items() if k != "lastHeartbeatTime"} for c in status.get("conditions", [])
                ]
                meta = {k: obj["metadata"].get(k) for k in ("labels", "annotations", "deletionTimestamp")}
                found[obj["metadata"]["name"]] = {"metadata": meta, "spec": obj["spec"], "status": status}
        return found


@asynccontextmanager
async def a_world(*nodes: NodeSpec, speed: float = 200.0) -> AsyncIterator[World]:
    clock = Clock(speed=speed)
    store = Store(clock=clock)
    for name in SYSTEM:
        store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": name}})
    server, controllers = ApiServer(store), Controllers(store, clock)
    await server.start()
    controllers.start()
    async with Client(Server(server.url)) as client:
        simulator = Simulator(client, clock)
        await simulator.start()
        try:
            await simulator.add_nodes(nodes)
            yield World(client, simulator, clock, server)
        finally:
            await simulator.stop()
    await controllers.stop()
    await server.stop()


def a_gpu_node(name: str = "gpu-1", **changed: Any) -> NodeSpec:
    return NodeSpec(**{"name": name, "pool": "h200", "product": "NVIDIA-H200", "gpus": 8} | changed)
