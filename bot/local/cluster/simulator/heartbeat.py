"""Leases and node status, again and again: without them a node is given up.

A kubelet renews its lease every 10 s. A thousand of them, or a fast clock, would drown the API server, so the pace is
bounded in our seconds; the lease says how long it lasts, and our node controller believes it.
"""

from datetime import datetime
from typing import Any

from bot.local.cluster.clock import Clock, rfc3339, rfc3339_micro
from bot.local.cluster.simulator.client import CONFLICT, STRATEGIC, Client, RequestError
from bot.local.cluster.simulator.group import NodeGroup
from bot.local.cluster.simulator.machine import Machine
from bot.local.cluster.simulator.node_object import kept_transitions, lease_object, node_status

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
EVERY_SECONDS = 10.0
LEAST_REAL_SECONDS = 0.25
LEASES_A_SECOND = 20.0  # of ours, for one group
LASTS = 4  # periods
STATUS_EVERY = 30  # renewals: five minutes


class Heartbeat:
    """Of all machines of one group."""

    def __init__(self, client: Client, clock: Clock, group: NodeGroup) -> None:
        self._client, self._clock, self._group = client, clock, group
        self._round = 0
        self._leased: set[str] = set()
        self._forget_clock = clock.on_change(self._restart)
        self._restart()

    def stop(self) -> None:
        self._round = -1
        self._forget_clock()

    @property
    def period_seconds(self) -> float:
        real = max(LEAST_REAL_SECONDS, len(self._group.machines) / LEASES_A_SECOND)
        return max(EVERY_SECONDS, real * self._clock.speed)

    def _restart(self) -> None:
        """A clock that jumps or changes its speed makes the old plan void: beat at once, and plan anew."""
        if self._round >= 0:
            self._round += 1
            number = self._round
            self._group.do(lambda: self._beat(number, 0))

    async def _beat(self, number: int, count: int) -> None:
        if number != self._round:
            return
        self._group.do_after(self.period_seconds, lambda: self._beat(number, count + 1))
        for machine in list(self._group.machines.values()):
            if machine.alive:
                await self._renew(machine, self._clock.now())
                if count % STATUS_EVERY == 0:
                    await report_node(self._client, machine, self._clock.now())

    async def _renew(self, machine: Machine, now: datetime) -> None:
        lasts = int(self.period_seconds * LASTS)
        if machine.name not in self._leased:
            self._leased.add(machine.name)
            if await self._lease(machine, now, lasts):
                return
        spec = {"renewTime": rfc3339_micro(now), "leaseDurationSeconds": lasts}
        await self._client.patch(f"{LEASES}/{machine.name}", {"spec": spec})

    async def _lease(self, machine: Machine, now: datetime, lasts: int) -> bool:
        """Returns whether there was none before."""
        try:
            await self._client.create(LEASES, lease_object(machine.name, now, lasts))
        except RequestError as error:
            if error.code == CONFLICT:
                return False
            raise
        return True


async def report_node(client: Client, machine: Machine, now: datetime, *, gone: tuple[str, ...] = ()) -> None:
    """Status as it is now; `gone` are condition types that a detector has withdrawn."""
    path = f"/api/v1/nodes/{machine.name}"
    before = (await client.get(path))["status"].get("conditions") or []
    status: dict[str, Any] = node_status(machine, now)
    status["conditions"] = kept_transitions(status["conditions"], before)
    status["conditions"] += [{"type": type_, "$patch": "delete"} for type_ in gone]
    await client.patch(f"{path}/status", {"status": status}, how=STRATEGIC)


async def give_up(client: Client, machine: Machine, now: datetime) -> None:
    """What the node controller writes about a node that has been silent for too long."""
    path = f"/api/v1/nodes/{machine.name}"
    unknown = {"status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
    found = (await client.get(path))["status"]["conditions"]
    ours = {c["type"] for c in node_status(machine, now)["conditions"]} - machine.conditions.keys()
    told = [{**c, **unknown, "lastTransitionTime": rfc3339(now)} for c in found if c["type"] in ours]
    await client.patch(f"{path}/status", {"status": {"conditions": told}}, how=STRATEGIC)
