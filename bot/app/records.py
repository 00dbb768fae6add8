"""What acts and what keeps it: the record of changes, incidents and posts, and those who carry them out.

Without a database nothing can be changed and nothing is watched, and answers say so; questions are answered as ever. It
is opened as soon as it can be.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import aiohttp
import structlog

from bot.access.rules import Rules
from bot.acting.actor import Doing
from bot.acting.changing.ground import Ground, Site
from bot.acting.changing.service import Changing
from bot.acting.incidents.sweeper import Sweeper
from bot.adapters.chat.carrier import Carrier
from bot.adapters.chat.poster import Poster
from bot.adapters.chat.speaker import Speaker
from bot.adapters.engines.keeper import EngineKeeper
from bot.adapters.store import StoreUnavailableError
from bot.adapters.store.benches import Benches
from bot.adapters.store.changes import Changes
from bot.adapters.store.deliveries import Deliveries
from bot.adapters.store.incidents import Incidents
from bot.adapters.store.late import LateStore
from bot.adapters.store.posts import Outbox
from bot.app.tasks import ended
from bot.changes.collect import change_kinds
from bot.command import Cluster
from bot.domain.document import Document
from bot.domain.person import Asker
from bot.ports import Clock, Loader, Prober, Writer
from bot.slack.connection import Myself, plain_client
from config.settings import Settings

log = structlog.get_logger()
OPEN_SECONDS = 10.0  # nobody is answered before the start is over
TICK_SECONDS = 5.0
Somebody = Callable[[str, str, str], Awaitable[Asker | None]]
Explain = Callable[[str, str], Awaitable[Document | None]]


@dataclass(frozen=True, slots=True)
class Records:
    """An open database with all that is kept in it."""

    store: LateStore
    outbox: Outbox
    changes: Changes
    incidents: Incidents
    deliveries: Deliveries
    sweeper: Sweeper

    @classmethod
    async def open(cls, settings: Settings, clusters: tuple[str, ...], now: Clock, engines: EngineKeeper) -> "Records":
        """One that is out of reach now is opened when it is used later. Raises ConfigError for a wrong URL."""
        store = LateStore.at(settings.store.opened_url())
        outbox = Outbox(store)
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await outbox.lag(now())
        except (StoreUnavailableError, TimeoutError) as error:
            log.warning("nothing can be changed or watched: no database", reason=str(error) or "it does not answer")
        changes = Changes(store, outbox.put_in)
        incidents = Incidents(store, clusters, outbox.put_in)
        sweeper = Sweeper(
            incidents,
            settings.alerts.rules(),
            now,
            every_seconds=settings.alerts.sweep_seconds,
            tokens=engines.tokens,
            engines=engines,
        )
        return cls(store, outbox, changes, incidents, Deliveries(store), sweeper)

    def doing(
        self, asker: Asker, cluster: Cluster, now: Clock, changing: Changing, writer: Writer, loader: Loader
    ) -> Doing:
        """What can be used to act for that person."""
        return Doing(
            asker,
            cluster,
            now,
            changes=self.changes,
            writer=writer,
            changing=changing,
            incidents=self.incidents,
            sweeper=self.sweeper,
            posts=self.outbox,
            loader=loader,
            benches=Benches(self.store),
        )

    async def close(self) -> None:
        await self.sweeper.close()
        await self.store.close()


@dataclass(frozen=True, slots=True)
class Deeds:
    """What carries changes out and says things in Slack, from `begin` on."""

    records: Records
    changing: Changing
    carrier: Carrier

    @classmethod
    def made(
        cls,
        records: Records,
        clusters: Mapping[str, Cluster],
        writers: Mapping[str, Writer],
        probers: Mapping[str, Prober],
        rules: Callable[[], Rules],
        somebody: Somebody,
        explain: Explain,
        now: Clock,
        speaker: Speaker,
        fallback: str,
    ) -> "Deeds":
        sites = {
            name: Site(name, one.view, one.inventory, writers[name], one.looker, probers.get(name))
            for name, one in clusters.items()
        }
        ground = Ground(
            sites, records.changes, records.outbox, change_kinds(), rules, somebody, now, asyncio.sleep, explain
        )
        return cls(records, Changing(ground), Carrier(Poster(records.outbox, speaker, now, fallback=fallback)))

    async def begin(self, stack: contextlib.AsyncExitStack) -> None:
        """Until the stack is left."""
        self.records.outbox.wake = self.carrier.wake
        self.carrier.start()
        stack.push_async_callback(self.carrier.stop)
        ticking = asyncio.create_task(self._tick(), name="changes-clock")
        stack.push_async_callback(self.changing.stop)
        stack.push_async_callback(ended, ticking)

    async def _tick(self) -> None:
        """Take up what a bot before left open, then whatever is due; keep what commands read fresh."""
        while True:
            try:
                await self.records.changes.refresh()
                await self.records.incidents.refresh()
                await self.changing.tick()
            except StoreUnavailableError as error:
                log.warning("changes wait: their record cannot be used", reason=str(error))
            await asyncio.sleep(TICK_SECONDS)


def speaker(bot_token: str, base_url: str, session: aiohttp.ClientSession, myself: Myself) -> Speaker:
    """Says each thing once."""
    return Speaker(plain_client(bot_token, base_url, session), myself.user)
