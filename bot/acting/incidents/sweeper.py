"""Looks at clusters and has what it found decided, kept and told. One look at a cluster at a time.

The event loop only copies the view and gathers what was asked for; judging and deciding are done in a thread on that
copy. Whatever goes wrong with a look is an alert itself, and nothing resolves by a look that failed.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from bot.acting.incidents.telling import posts
from bot.alerts.evaluate import evaluate
from bot.alerts.outside import Outside, from_alertmanager
from bot.command import Cluster
from bot.domain.alert import Look, Seen
from bot.domain.alert_rules import AlertRules
from bot.domain.engine_told import EngineTold
from bot.domain.errors import BotError
from bot.domain.evidence import NO_EVIDENCE, Evidence, NodeRef, Wanted
from bot.domain.gpu_reading import NodeReading
from bot.domain.incident import Book
from bot.domain.view import View
from bot.gpu import reading
from bot.gpu.inventory import Inventory
from bot.incidents import before, looking
from bot.incidents.follow import follow
from bot.incidents.usage import Usage
from bot.ports import Clock, EngineWatch, IncidentStore
from bot.sweep.snapshot import snapshot
from bot.sweep.sweep import sweep, wanted
from bot.sweep.trouble import Sweep

log = structlog.get_logger()
LOOK_SECONDS = 15.0  # for everything that is looked up; each endpoint has its own, shorter deadline
EARLIER = 4  # readings of a node's agent that are kept, for rates and for what has to be seen twice
Tokens = Callable[[str], Mapping[str, float] | None]


@dataclass(frozen=True, slots=True)
class Looked:
    """One look: the copy that was judged, what was found, and the look for the alerts."""

    view: View
    swept: Sweep
    look: Look


class Sweeper:
    """tokens: by cluster, tokens per second that each pod made while it was well; None: no engine tells.

    engines: asked again in each look; None: nobody asks them.
    """

    def __init__(
        self,
        store: IncidentStore,
        rules: AlertRules,
        now: Clock,
        *,
        every_seconds: float = 30.0,
        tokens: Tokens | None = None,
        engines: EngineWatch | None = None,
    ) -> None:
        self.store, self.rules = store, rules
        self.every_seconds = every_seconds
        self.usage: dict[str, Usage] = {}
        self.lasting: dict[str, tuple[str, ...]] = {}  # what is due some day, by cluster, as it was seen last
        self._now, self._tokens, self._engines = now, tokens or (lambda cluster: None), engines
        self._earlier: dict[str, dict[str, tuple[NodeReading, ...]]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._watched: dict[str, datetime] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    def due(self, cluster: str) -> bool:
        """Whether it is time for the next look, by when the one before began; never while that one goes on."""
        if cluster in self._running:
            return False
        last = self._watched.get(cluster)
        return last is None or (self._now() - last).total_seconds() >= self.every_seconds

    def begin(self, cluster: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Let it go on by itself; until it ends, no look at that cluster is due. A bug in it is logged."""
        task = asyncio.create_task(work, name=f"sweep-{cluster}")
        self._running[cluster] = task
        task.add_done_callback(lambda ended: self._ended(cluster, ended))
        return task

    def _ended(self, cluster: str, task: asyncio.Task[None]) -> None:
        del self._running[cluster]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a sweep ended with a bug", cluster=cluster, exc_info=error)

    async def close(self) -> None:
        """End looks that go on. What was decided is kept already."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def watch(self, cluster: Cluster) -> Book:
        """Look, decide, keep and tell. Raises UpstreamError where it cannot be kept: then nothing was decided."""
        self._watched[cluster.name] = self._now()
        try:
            looked = await self.look(cluster)
            return await self._decided(cluster, looked.look, looked.view)
        except BotError:
            raise
        except Exception as error:  # a bug that is only logged would be a silence that nobody notices
            log.exception("a sweep failed", cluster=cluster.name)
            return await self._decided(cluster, _failed(cluster.name, error), None)

    async def look(self, cluster: Cluster) -> Looked:
        """Look and judge, without deciding anything: what `/gpu sweep now` shows."""
        async with self._locks.setdefault(cluster.name, asyncio.Lock()):
            asked = await asyncio.to_thread(_asked, snapshot(cluster.view), cluster, self._now())
            evidence, told = await asyncio.gather(_looked_up(cluster, asked), self._read_engines(cluster.name))
            judge = _Judging(snapshot(cluster.view), cluster, asked, evidence, self._now(), told)
            earlier = self._earlier.get(cluster.name, {})
            looked, readings = await asyncio.to_thread(judge.run, earlier, self._tokens(cluster.name))
            self._earlier[cluster.name] = _kept(earlier, readings, looked.view)
            self.usage.setdefault(cluster.name, Usage()).add(readings.values(), looked.view, self._now())
            self.lasting[cluster.name] = tuple(one.root.sentence for one in looked.swept.lasting)
            return looked

    async def _read_engines(self, cluster: str) -> Mapping[str, EngineTold] | None:
        if self._engines is None:
            return None
        await self._engines.read(cluster)
        return self._engines.told(cluster)

    def agents(self, cluster: str) -> Mapping[str, datetime]:
        """When each node's agent took the last reading that was had; none for nodes that never had one."""
        earlier = self._earlier.get(cluster, {}).items()
        taken = {node: [one.taken_at for one in those if one.taken_at is not None] for node, those in earlier}
        return {node: max(times) for node, times in taken.items() if times}

    async def heard(self, cluster: Cluster, payload: Any) -> Outside:
        """Alertmanager's webhook. Raises UsageError for what is none, UpstreamError where it cannot be kept."""
        told = from_alertmanager(payload, cluster.view.nodes)
        look = Look(bundles=told.bundles, seen=Seen(over=told.over), swept=False)
        await self._decided(cluster, look, None)
        return told

    async def _decided(self, cluster: Cluster, look: Look, view: View | None) -> Book:
        now = self._now()

        def decide(book: Book) -> Book:
            silences = tuple(book.silences.values())
            done = evaluate(
                book.alerts, look, self.rules, silences, now, cluster=book.cluster, next_number=book.next_incident
            )
            past = cluster.nodes_before
            return follow(book, done, now, lambda one: before.before(one, view, now, past) if view else ())

        return await self.store.change(cluster.name, decide, now, posts)


@dataclass(frozen=True, slots=True)
class _Judging:
    """Everything that a thread needs for one look: nothing of it changes meanwhile."""

    view: View
    cluster: Cluster
    asked: Wanted
    evidence: Evidence
    now: datetime
    told: Mapping[str, EngineTold] | None = None

    def run(
        self, earlier: Mapping[str, tuple[NodeReading, ...]], tokens: Mapping[str, float] | None
    ) -> tuple[Looked, dict[str, NodeReading]]:
        policy = self.cluster.inventory.policy
        inventory = Inventory(self.view, policy)
        past = self.cluster.nodes_before
        swept = sweep(
            self.view, inventory, self.evidence, self.now, before=earlier, past=past, asked=self.asked, told=self.told
        )
        look = looking.look_of(swept, self.view, policy, self.asked, self.evidence, self.now, tokens)
        return Looked(self.view, swept, look), dict(self._readings())

    def _readings(self) -> list[tuple[str, NodeReading]]:
        refs = (ref for ref in self.evidence.texts if isinstance(ref, NodeRef) and ref.what == "agent")
        read = ((ref.node, reading.read(self.evidence.texts[ref], ref.node)) for ref in refs)
        return [(node, one) for node, one in read if one is not None and not one.trouble]


def _asked(view: View, cluster: Cluster, now: datetime) -> Wanted:
    return wanted(view, Inventory(view, cluster.inventory.policy), now)


async def _looked_up(cluster: Cluster, asked: Wanted) -> Evidence:
    if cluster.looker is None or not asked:
        return NO_EVIDENCE
    return await cluster.looker.look(asked, LOOK_SECONDS)


def _kept(
    earlier: Mapping[str, tuple[NodeReading, ...]], now: Mapping[str, NodeReading], view: View
) -> dict[str, tuple[NodeReading, ...]]:
    """The last few of each node that is there, no reading twice."""
    kept = {node: those for node, those in earlier.items() if node in view.nodes}
    for node, one in now.items():
        those = kept.get(node, ())
        if not those or those[-1].taken_at != one.taken_at:
            kept[node] = (*those, one)[-EARLIER:]
    return kept


def _failed(cluster: str, error: Exception) -> Look:
    """A look that saw nothing but its own failure."""
    return Look(bundles=(looking.own_failure("sweep", f"The sweep of {cluster}", error),), seen=Seen(told=False))
