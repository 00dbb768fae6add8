"""A whole cluster on this machine: API server, controllers, and a simulated fleet with a past."""

import asyncio
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.local.cluster.api import ApiServer
from bot.local.cluster.api.proxying import Proxied
from bot.local.cluster.clock import Clock
from bot.local.cluster.controllers import Controllers
from bot.local.cluster.engines import Engines
from bot.local.cluster.fleet import Player, load_scenario, scenarios
from bot.local.cluster.simulator import Client, Faults, Server, Simulator
from bot.local.cluster.simulator.logs import log_of
from bot.local.cluster.store import RESOURCES, Change, Store

PAST = timedelta(days=61)
PAST_SPEED = 100.0
LOOK_SECONDS = 0.002
LONGEST_START_SECONDS = 120.0
SYSTEM_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
WAITING_FOR_GOOD = ("CrashLoopBackOff", "ErrImagePull", "ImagePullBackOff")


class LocalCluster:
    """`speed` is how many cluster seconds pass in one of ours once the cluster has started; `seed` fixes its names."""

    def __init__(self, *, scenario: str = "default", speed: float = 1.0, seed: int = 0) -> None:
        self._fleet = load_scenario(scenario)
        self._speed = speed
        self._opened_at = datetime.now(UTC)
        self.clock = Clock(speed=PAST_SPEED, at=self._opened_at - PAST)
        self.store = Store(clock=self.clock, seed=seed)
        self.api = ApiServer(self.store, logs=self._log, proxy=self._proxied)
        self._controllers = Controllers(self.store, self.clock, opened_at=self._opened_at)
        self._on_their_way: set[tuple[str, str]] = set()
        self._cleanup = AsyncExitStack()
        self.url = ""
        self.kubeconfig_path = Path()
        self.simulator: Simulator
        self.faults: Faults
        self.engines: Engines

    @staticmethod
    def scenarios() -> list[str]:
        return scenarios()

    async def start(self, port: int = 0) -> None:
        """Returns when the fleet's story has come to the present and all that can run does."""
        try:
            async with asyncio.timeout(LONGEST_START_SECONDS):
                await self._start(port)
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        await self._cleanup.aclose()

    async def _start(self, port: int) -> None:
        folder = self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="gpubot-"))
        await self.api.start(port)
        self._cleanup.push_async_callback(self.api.stop)
        self.url = self.api.url
        self.kubeconfig_path = Path(folder) / "kubeconfig"
        self.api.write_kubeconfig(self.kubeconfig_path)
        for name in SYSTEM_NAMESPACES:
            self.store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": name}}, manager="kube-apiserver")
        self._cleanup.callback(self.store.subscribe(self._observe))
        self._controllers.start()
        self._cleanup.push_async_callback(self._controllers.stop)
        await self._connect()
        fleet_client = await self._cleanup.enter_async_context(Client(Server(self.url), manager="fleet"))
        await Player(fleet_client, self.simulator, self.clock, self.settled).play(self._fleet, self._opened_at)
        await self._open()

    async def _connect(self) -> None:
        client = await self._cleanup.enter_async_context(Client(Server(self.url)))
        self.simulator = Simulator(client, self.clock, opened_at=self._opened_at)
        self.faults = Faults(self.simulator)
        self.engines = Engines(self.store, self.simulator, self.clock)
        self._cleanup.push_async_callback(self.simulator.stop)
        await self.simulator.start()

    async def _open(self) -> None:
        """The past is over: the clock is everybody's, and from now on a kubelet that falls silent is missed."""
        self.clock.set_speed(self._speed)
        self.clock.move_to(datetime.now(UTC))
        self.simulator.begin_heartbeats()
        await self._quiet()

    async def _quiet(self) -> None:
        """Until kubelets and controllers have written what they had to."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self.simulator.working and self._controllers.idle:
                return

    async def settled(self) -> None:
        """Waits until nothing moves: pods run, or are stuck for good, or have no place. Skips the time in between."""
        calm = 0
        while calm < 2:  # once more after a turn of the event loop, for what is still on the wire
            await asyncio.sleep(LOOK_SECONDS)
            moves = self._on_their_way or not self._controllers.idle or not self.simulator.settled
            calm = 0 if moves else calm + 1
            due = self.simulator.next_due
            if moves and due and self._controllers.idle and self.clock.speed == PAST_SPEED:
                self.clock.move_to(due)

    def _log(self, namespace: str, pod: str, container: str, query: Mapping[str, str]) -> str:
        said = self.engines.log(namespace, pod, container, previous=query.get("previous") == "true")
        return log_of(self.simulator, namespace, pod) if said is None else "".join(f"{line}\n" for line in said)

    async def _proxied(self, request: web.BaseRequest, asked: Proxied) -> web.StreamResponse:
        return await self.engines.proxied(request, asked)

    def _observe(self, change: Change) -> None:
        if change.resource.key != ("", "pods"):
            return
        key = (change.new["metadata"]["namespace"], change.new["metadata"]["name"])
        if change.type != "DELETED" and on_its_way(change.new):
            self._on_their_way.add(key)
        else:
            self._on_their_way.discard(key)


def on_its_way(pod: dict[str, Any]) -> bool:
    """Bound to a node, but neither ready nor ended nor stuck."""
    status = pod.get("status") or {}
    if not pod["spec"].get("nodeName") or status.get("phase") in ("Succeeded", "Failed"):
        return False
    if pod["metadata"].get("deletionTimestamp"):
        return False  # the simulator knows whether it will go
    ready = [c for c in status.get("conditions") or () if c["type"] == "Ready"]
    if any(c["status"] == "True" or c.get("reason") == "NodeNotReady" for c in ready):
        return False
    waiting = [c["state"].get("waiting") or {} for c in status.get("containerStatuses") or ()]
    return not any(w.get("reason") in WAITING_FOR_GOOD for w in waiting)
