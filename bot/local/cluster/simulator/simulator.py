"""Plays the machines of a cluster: a client of the Kubernetes API like any kubelet, one task for each pool of nodes."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import aiohttp

from bot.local.cluster.clock import Clock
from bot.local.cluster.simulator.client import CONFLICT, STRATEGIC, Client, RequestError
from bot.local.cluster.simulator.engine_host import EngineHost, NoEngines
from bot.local.cluster.simulator.group import NodeGroup
from bot.local.cluster.simulator.heartbeat import Heartbeat
from bot.local.cluster.simulator.machine import Machine, new_machine
from bot.local.cluster.simulator.node_object import node_object
from bot.local.cluster.simulator.node_spec import NodeSpec
from bot.local.cluster.simulator.pod_run import PodRun
from bot.local.cluster.simulator.reporter import Reporter
from bot.local.cluster.simulator.slices import PATH as SLICES
from bot.local.cluster.simulator.slices import resource_slice
from bot.local.cluster.simulator.troubles import Troubles

Obj = dict[str, Any]

NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
AGAIN_SECONDS = 0.2

log = logging.getLogger(__name__)


class Simulator:
    """`opened_at` is when people start to look: events from long before it are not written."""

    def __init__(self, client: Client, clock: Clock, *, opened_at: datetime | None = None) -> None:
        self.client, self.clock = client, clock
        self.reporter = Reporter(client, clock, opened_at=opened_at)
        self.troubles = Troubles()
        self.host: EngineHost = NoEngines()
        self.groups: dict[str, NodeGroup] = {}
        self._group_of: dict[str, NodeGroup] = {}
        self._pods: dict[tuple[str, str], Obj] = {}
        self._heartbeats: list[Heartbeat] = []
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def beating(self) -> bool:
        return bool(self._heartbeats)

    @property
    def settled(self) -> bool:
        return all(group.settled for group in self.groups.values())

    @property
    def next_due(self) -> datetime | None:
        """When the first pod moves on, if all that is left to do is to wait for that; None while there is work."""
        if any(group.working for group in self.groups.values()):
            return None
        return min((due for group in self.groups.values() if (due := group.next_due)), default=None)

    @property
    def next_end(self) -> datetime | None:
        """When the first pod that runs for a time will have run it."""
        return min((end for group in self.groups.values() if (end := group.next_end)), default=None)

    @property
    def working(self) -> bool:
        """Some kubelet has something to write."""
        return any(group.working for group in self.groups.values())

    async def start(self) -> None:
        """Begin to watch pods; returns when all that are there have been seen."""
        await self._ensure("/api/v1/namespaces", {"metadata": {"name": "kube-node-lease"}})
        version = await self._list()
        self._spawn(self._watch(version), "watch of pods")

    async def stop(self) -> None:
        for heartbeat in self._heartbeats:
            heartbeat.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def add_nodes(self, specs: Iterable[NodeSpec]) -> None:
        """Register machines; one that the API server knows already gets its labels and status again."""
        for spec in specs:
            group = self._group(spec.pool)
            machine = new_machine(spec, len(self._group_of))
            await self._register(machine)
            group.machines[spec.name] = machine
            self._group_of[spec.name] = group
        for pod in self._pods.values():
            group_of = self._group_of.get(pod["spec"]["nodeName"])
            if group_of and not group_of.find((pod["metadata"]["namespace"], pod["metadata"]["name"])):
                group_of.see("ADDED", pod)

    def begin_heartbeats(self) -> None:
        """From now on silence means trouble. Before, with a clock that jumps through the past, it would be misread."""
        self._heartbeats += [Heartbeat(self.client, self.clock, group) for group in self.groups.values()]

    def machine(self, name: str) -> tuple[NodeGroup, Machine]:
        """Raises KeyError for a node that is not simulated here."""
        group = self._group_of[name]
        return group, group.machines[name]

    def pod(self, namespace: str, name: str) -> PodRun | None:
        """A pod on one of its machines; None for any other."""
        found = next((one for group in self.groups.values() if (one := group.find((namespace, name)))), None)
        return found[1] if found else None

    async def _register(self, machine: Machine) -> None:
        node = node_object(machine, self.clock.now())
        if not await self._ensure(NODES, node):
            meta = {"labels": node["metadata"]["labels"]}
            await self.client.patch(f"{NODES}/{machine.name}", {"metadata": meta})
            await self.client.patch(f"{NODES}/{machine.name}/status", {"status": node["status"]}, how=STRATEGIC)
        if machine.spec.strategy == "dra":
            await self._ensure(SLICES, resource_slice(machine))

    async def _ensure(self, path: str, obj: Obj) -> bool:
        """Returns whether it was not there before."""
        try:
            await self.client.create(path, obj)
        except RequestError as error:
            if error.code == CONFLICT:
                return False
            raise
        return True

    def _group(self, pool: str) -> NodeGroup:
        if pool not in self.groups:
            self.groups[pool] = NodeGroup(self.client, self.clock, self.reporter, self.troubles, self._settings)
            self._spawn(self.groups[pool].run(), f"kubelets of {pool}")
        return self.groups[pool]

    def _settings(self, pod: Mapping[str, Any]) -> Mapping[str, Any]:
        return self.host.settings(pod)

    def _spawn(self, work: Any, name: str) -> None:
        self._tasks.append(asyncio.create_task(work, name=name))

    # pods

    async def _watch(self, version: str) -> None:
        while True:
            try:
                async for type_, pod in self.client.watch(PODS, version):
                    version = pod["metadata"]["resourceVersion"]
                    if type_ != "BOOKMARK":
                        self._see(type_, pod)
            except RequestError as error:
                log.info("watching pods anew: %s", error)
                version = await self._list_again()
            except aiohttp.ClientError as error:
                log.info("the watch of pods broke: %s", error)
                version = await self._list_again()

    async def _list(self) -> str:
        pods, version = await self.client.list(PODS)
        found = {(p["metadata"]["namespace"], p["metadata"]["name"]) for p in pods}
        for key in [key for key in self._pods if key not in found]:
            self._see("DELETED", self._pods[key])
        for pod in pods:
            self._see("ADDED", pod)
        return version

    async def _list_again(self) -> str:
        while True:
            await asyncio.sleep(AGAIN_SECONDS)
            try:
                return await self._list()
            except (RequestError, aiohttp.ClientError) as error:
                log.info("cannot list pods: %s", error)

    def _see(self, type_: str, pod: Obj) -> None:
        node = pod["spec"].get("nodeName")
        if not node:
            return
        key = pod["metadata"]["namespace"], pod["metadata"]["name"]
        if type_ == "DELETED":
            self._pods.pop(key, None)
        else:
            self._pods[key] = pod
        if group := self._group_of.get(node):
            group.see(type_, pod)
