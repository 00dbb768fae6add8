"""Lets a fleet's past happen: everything in its order, each at the time that its age says."""

import itertools
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from bot.local.cluster.clock import Clock
from bot.local.cluster.fleet.duration import parse_duration
from bot.local.cluster.fleet.load import node_specs
from bot.local.cluster.fleet.manifest import namespace_manifest, path_of, priority_manifest, workload_manifest
from bot.local.cluster.fleet.schema import Fault, Fleet, Nodes
from bot.local.cluster.simulator.client import CONFLICT, Client, RequestError
from bot.local.cluster.simulator.faults import Faults
from bot.local.cluster.simulator.simulator import Simulator

Step = Callable[[], Awaitable[None]]

FOUNDED = timedelta(days=60)  # before anything that has an age of its own


class Player:
    """`settle` waits until what has begun is done."""

    def __init__(self, client: Client, simulator: Simulator, clock: Clock, settle: Step) -> None:
        self._client, self._simulator, self._clock, self._settle = client, simulator, clock, settle
        self._faults = Faults(simulator)

    async def play(self, fleet: Fleet, opened_at: datetime) -> None:
        """Returns with the clock at `opened_at`."""
        steps = sorted(self._steps(fleet), key=lambda step: step[0], reverse=True)
        for age, together in itertools.groupby(steps, key=lambda step: step[0]):
            await self.pass_time(opened_at - age)
            for _, step in together:
                await step()
            await self._settle()
        await self.pass_time(opened_at)

    async def pass_time(self, until: datetime) -> None:
        """Up to `until`, with a stop wherever a pod ends by itself: what follows from that has its right time too."""
        while (end := self._simulator.next_end) and end < until:
            self._clock.move_to(end)
            await self._settle()
        self._clock.move_to(until)

    def _steps(self, fleet: Fleet) -> Iterator[tuple[timedelta, Step]]:
        teams = {namespace.name: namespace.team for namespace in fleet.namespaces}
        for manifest in [*map(namespace_manifest, fleet.namespaces), *map(priority_manifest, fleet.priorities)]:
            yield FOUNDED, self._create(manifest)
        for nodes in fleet.nodes:
            yield parse_duration(nodes.age), self._add(nodes)
        for obj in fleet.objects:
            yield parse_duration(obj.age), self._create(obj.manifest)
        for workload in fleet.workloads:
            manifest = workload_manifest(workload, teams[workload.namespace])
            yield parse_duration(workload.age), self._create(manifest)
        for fault in fleet.faults:
            yield parse_duration(fault.age), self._break(fault)

    def _add(self, nodes: Nodes) -> Step:
        return lambda: self._simulator.add_nodes(node_specs(nodes))

    def _break(self, fault: Fault) -> Step:
        return lambda: self._faults.play(fault.fault, **fault.arguments)

    def _create(self, manifest: dict[str, Any]) -> Step:
        async def create() -> None:
            try:
                await self._client.create(path_of(manifest), manifest)
            except RequestError as error:
                if error.code != CONFLICT:
                    raise

        return create
