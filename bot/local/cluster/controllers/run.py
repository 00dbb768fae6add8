"""Starts and stops all controllers over one store."""

from collections.abc import Callable
from datetime import datetime

from bot.local.cluster.clock import Clock
from bot.local.cluster.controllers.access import Access
from bot.local.cluster.controllers.claims import ClaimController
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.daemonset import DaemonSetController
from bot.local.cluster.controllers.deployment import DeploymentController
from bot.local.cluster.controllers.disruption import DisruptionController
from bot.local.cluster.controllers.events import Recorder
from bot.local.cluster.controllers.eviction import EvictionController
from bot.local.cluster.controllers.job import JobController
from bot.local.cluster.controllers.loop import Controller, WorkLoop
from bot.local.cluster.controllers.node_lifecycle import NodeLifecycleController
from bot.local.cluster.controllers.owned import OwnedPods
from bot.local.cluster.controllers.replicaset import ReplicaSetController
from bot.local.cluster.controllers.scheduler.scheduler import NAME as SCHEDULER
from bot.local.cluster.controllers.scheduler.scheduler import Scheduler
from bot.local.cluster.controllers.statefulset import StatefulSetController
from bot.local.cluster.store import Store

KINDS: tuple[Callable[[Context], Controller], ...] = (
    DeploymentController,
    ReplicaSetController,
    StatefulSetController,
    DaemonSetController,
    JobController,
    NodeLifecycleController,
    EvictionController,
    DisruptionController,
    ClaimController,
)


class Controllers:
    """`opened_at` is when people start to look: events from more than an hour before it are not written."""

    def __init__(self, store: Store, clock: Clock, *, opened_at: datetime | None = None) -> None:
        recorder, owned = Recorder(store, clock, opened_at=opened_at), OwnedPods()
        self._loop = WorkLoop(store, clock, first=owned.observe)
        for kind in KINDS:
            queue = self._loop.queue()
            access = Access(store, "kube-controller-manager")
            self._loop.add(kind(Context(access, clock, recorder, queue, owned)), queue)
        queue = self._loop.queue()
        self._loop.add(Scheduler(Access(store, SCHEDULER), clock, recorder, queue), queue)

    @property
    def idle(self) -> bool:
        """Nothing is marked and nothing is being worked on: what is left waits for somebody else, or for the clock."""
        return self._loop.idle

    def start(self) -> None:
        """From now on every write is seen; objects that were there before are taken as just created."""
        self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()
