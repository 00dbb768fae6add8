"""The composition root: settings → clusters → commands → Slack.

Reading is started for all clusters at once and never waited for: a cluster that does not answer is a cluster of which
answers say so, while the others are asked as usual.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import aiohttp
import httpx
import structlog
from slack_bolt.async_app import AsyncApp

from bot.acting.actor import Doing
from bot.acting.incidents.digesting import Digests
from bot.acting.preflighting import Preflighted
from bot.acting.seeing import Seeing
from bot.adapters.cluster import memory
from bot.adapters.cluster.cache import WatchCache
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.looker import ClusterLooker
from bot.adapters.cluster.opening import open_connection
from bot.adapters.cluster.probe import ClusterProbe
from bot.adapters.cluster.writer import ClusterWriter
from bot.adapters.engines.bench import EngineLoader
from bot.adapters.engines.keeper import EngineKeeper
from bot.adapters.engines.opening import source
from bot.adapters.nodes.reader import NodeReader
from bot.adapters.store.errors import StoreUnavailableError
from bot.adapters.store.node_recorder import NodeRecorder
from bot.adapters.store.recorder import Recorder
from bot.app.ears import Ears
from bot.app.records import Deeds, Records, speaker
from bot.app.surroundings import side_server, watching
from bot.app.tasks import ended
from bot.checks.preflight.kept import Preflights
from bot.command import Cluster
from bot.dialogue import all_commands, answer, understand
from bot.domain.document import Document
from bot.domain.person import Asker
from bot.gpu.inventory import Inventory
from bot.gpu.xid_table import catalogue
from bot.jobs.job import Services
from bot.jobs.schedule import Schedule
from bot.ports import Loader, Prober, Writer
from bot.serving.matrix import matrix
from bot.side.server import SideServer
from bot.slack.connection import Socket, check, web_client
from bot.slack.desk import Desk
from bot.slack.listeners import register
from bot.slack.people import People
from bot.slack.redelivery import Guard, Redelivery
from bot.slack.shelf import Shelf
from config import alerts
from config.settings import ClusterSettings, Settings

log = structlog.get_logger()
REFRESH_SECONDS = 0.2  # how often changed nodes are looked at again, so that an answer finds little to do
REFRESH_NODES = 25  # so many at a time: about a millisecond


def utc_now() -> datetime:
    return datetime.now(UTC)


class App:
    """The running bot. `connections` replaces what the settings say, for a cluster that was opened already."""

    def __init__(
        self, settings: Settings, bot_token: str, app_token: str, *, now: Callable[[], datetime] = utc_now
    ) -> None:
        self.settings = settings
        self.clusters: dict[str, Cluster] = {}
        self._tokens = bot_token, app_token
        self._now = now
        self._commands = all_commands()
        self._caches: list[WatchCache] = []
        self._stack = contextlib.AsyncExitStack()
        chosen = settings.clusters or (ClusterSettings(name="default"),)
        self._writers: dict[str, Writer] = {}
        self._probers: dict[str, Prober] = {}
        self._loaders: dict[str, Loader] = {}
        self._preflights = Preflights(now())
        names = [one.name for one in chosen]
        self.recorder = Recorder(settings.store.opened_url(), names, now=now)
        self.nodes = NodeRecorder(settings.store.opened_url(), names)
        engines = settings.engines.access()
        self.engines = EngineKeeper(now, hints=engines.hints, every_seconds=engines.every_seconds)
        self.records: Records | None = None
        self.deeds: Deeds | None = None
        self.socket: Socket | None = None
        self.side: SideServer | None = None

    async def start(self) -> None:
        """Raises ConfigError and ChatError with one clear sentence; what was started is stopped again then."""
        memory.before_loading()
        catalogue(), matrix()  # a wrong edit of the data ends the start, and no later answer
        try:
            for chosen in self.settings.clusters or (ClusterSettings(name="default"),):
                await self._open(chosen)
            await self._remember()
            await self._join_slack()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        await self._stack.aclose()

    async def synced(self, timeout_seconds: float) -> None:
        """Until every cluster has been read once. Raises TimeoutError."""
        async with asyncio.timeout(timeout_seconds):
            for cache in self._caches:
                await cache.synced(timeout_seconds)

    async def changed(self) -> None:
        """Until anything changes in any cluster's view."""
        happened = asyncio.Event()
        quiet = [cache.on_change(lambda _: happened.set()) for cache in self._caches]
        try:
            await happened.wait()
        finally:
            for end in quiet:
                end()

    async def _open(self, chosen: ClusterSettings) -> None:
        connection = await open_connection(chosen.kubeconfig, chosen.context, service_account=chosen.in_cluster)
        self._stack.push_async_callback(connection.close)
        cache = self._cache(chosen, connection)
        self._caches.append(cache)
        await cache.start()
        self._stack.push_async_callback(cache.stop)
        inventory = Inventory(cache.view, self.settings.gpu.policy())
        access = self.settings.engines.access()
        nodes = NodeReader(connection, cache.view, self.settings.nodes.access(), access, now=self._now)
        nodes.prepare()
        looker = ClusterLooker(connection, nodes)
        self._writers[chosen.name] = ClusterWriter(connection)
        self._probers[chosen.name] = ClusterProbe(connection)
        self._loaders[chosen.name] = EngineLoader(connection)
        self.clusters[chosen.name] = Cluster(
            chosen.name, cache.view, inventory, self.recorder, looker, past=self.nodes, preflights=self._preflights
        )
        if self.settings.engines.read:
            self.engines.add(chosen.name, cache.view, source(connection, access, self._now))
            self.clusters[chosen.name] = replace(self.clusters[chosen.name], engines=self.engines)
        refresher = asyncio.create_task(_keep_fresh(inventory), name=f"refresh-{chosen.name}")
        self._stack.push_async_callback(ended, refresher)
        log.info("reading a cluster", cluster=chosen.name, server=connection.base_url)

    async def _remember(self) -> None:
        """Jobs begin once there is somewhere to remember; a database that is out of reach is tried again later."""
        self._stack.push_async_callback(self.recorder.close)
        await self.recorder.start()
        self._stack.push_async_callback(self.nodes.close)
        await self.nodes.start()
        self.records = await Records.open(self.settings, tuple(self.clusters), self._now, self.engines)
        if self.records is not None:
            self._stack.push_async_callback(self.records.close)
            rules = self.settings.alerts.rules()
            for name, cluster in self.clusters.items():
                self.clusters[name] = replace(
                    cluster, audit=self.records.changes.memory, incidents=self.records.incidents, alert_rules=rules
                )
        client = await self._stack.enter_async_context(httpx.AsyncClient())
        watch = self.settings.watch
        self._ears = Ears(
            self.clusters, watch.limits(), self._hears_slack, self._asks_store, self._heard_agents, self._now
        )
        self._watchman, self._heartbeat = watching(watch, self._ears, self.records, client, self._now)
        schedule = Schedule(self._services())
        schedule.start()
        self._stack.push_async_callback(schedule.stop)

    def _services(self) -> Services:
        services = Services(self.clusters, self.recorder, self._now, self.settings.store.kept_days, nodes=self.nodes)
        services = replace(services, preflights=self._preflights, watchman=self._watchman, heartbeat=self._heartbeat)
        services = replace(services, engines=self.engines)
        if self.records is None:
            return services
        told = self.settings.alerts.digests
        daily, weekly = (tuple(map(alerts.due, times)) for times in (told.daily, told.weekly))
        digests = Digests(self.records.outbox, told.channel, daily, weekly) if told.channel else None
        told_of_nodes = Preflighted(self.records.outbox, self.settings.alerts.rules(), self._now)
        services = replace(services, preflighted=told_of_nodes)
        return replace(services, sweeper=self.records.sweeper, digests=digests, outbox=self.records.outbox)

    def _cache(self, chosen: ClusterSettings, connection: Connection) -> WatchCache:
        """Watches what some command reads, and nothing else."""
        return WatchCache(
            chosen.name,
            connection,
            now=self._now,
            kinds=frozenset().union(*(command.needs for command in self._commands)),
            namespaces=chosen.namespaces,
            watch_list=chosen.watch_list,
        )

    async def _join_slack(self) -> None:
        slack = self.settings.slack
        session = await self._stack.enter_async_context(aiohttp.ClientSession())
        client = web_client(self._tokens[0], slack.base_url, session)
        myself = await check(client)
        rules = self.settings.access.rules().at_home(myself.workspace)
        people = People(client, lambda: rules, asyncio.get_running_loop().time)
        if self.records is not None:
            self.deeds = Deeds.made(
                self.records,
                self.clusters,
                self._writers,
                self._probers,
                lambda: rules,
                people.somebody,
                self._explain,
                self._now,
                speaker(self._tokens[0], slack.base_url, session, myself),
                slack.fallback_channel or "",
            )
            await self.deeds.begin(self._stack)
        app = AsyncApp(client=client)
        desk = Desk(
            commands=self._commands,
            clusters=self.clusters,
            usual=slack.default_cluster or next(iter(self.clusters)),
            channel_clusters=slack.channel_clusters,
            now=self._now,
            shelf=Shelf(),
            people=people.asker,
            doing=self._doing,
            sight=Seeing(self._writers, asyncio.get_running_loop().time).sight,
        )
        guard = Guard(Redelivery(asyncio.get_running_loop().time), self._record if self.records else None)
        register(app, desk, guard.first, slack.slashes())
        self.socket = Socket(app, self._tokens[1], slack.ping_interval_seconds)
        await self.socket.start()
        self._stack.push_async_callback(self.socket.stop)
        await self._listen_aside(desk.usual)
        log.info("joined slack", base_url=slack.base_url)

    async def _listen_aside(self, usual: str) -> None:
        """Raises ConfigError where the port is not to be had."""
        poster = self.deeds.carrier.poster if self.deeds is not None else None
        server = side_server(self.settings.side, self._ears, self._watchman, self.records, poster, self.clusters, usual)
        if server is not None:
            await server.start()
            self._stack.push_async_callback(server.stop)
            log.info("listening aside", port=server.port)
        self.side = server

    def _doing(self, asker: Asker, cluster: Cluster) -> Doing:
        if self.records is None or self.deeds is None:
            return Doing(asker, cluster, self._now)
        writer, loader = self._writers[cluster.name], self._loaders[cluster.name]
        return self.records.doing(asker, cluster, self._now, self.deeds.changing, writer, loader)

    async def _record(self, key: str) -> bool:
        """Whether a delivery is the first, for all replicas and over a restart. Raises StoreUnavailableError."""
        return self.records is None or await self.records.deliveries.is_first(key, self._now())

    async def _hears_slack(self) -> str:
        """Empty, or why not."""
        if self.socket is None or not await self.socket.connected():
            return "no connection to Slack"
        return self.deeds.carrier.poster.trouble if self.deeds is not None else ""

    async def _asks_store(self) -> None:
        """Raises StoreUnavailableError."""
        if self.records is None:
            raise StoreUnavailableError("it was not there at the start", retryable=False)
        await self.records.outbox.lag(self._now())

    def _heard_agents(self, cluster: str) -> Mapping[str, datetime]:
        return {} if self.records is None else self.records.sweeper.agents(cluster)

    async def _explain(self, cluster: str, subject: str) -> Document | None:
        """What `/why` says of something. Raises UserError."""
        asked = understand(f"why {subject}", self._commands)
        return (await answer(asked, self.clusters, cluster, self._now, self._commands)).document


async def _keep_fresh(inventory: Inventory) -> None:
    settled = False
    while True:
        await asyncio.sleep(REFRESH_SECONDS)
        for _ in range(inventory.pending() // REFRESH_NODES + 1):
            inventory.refresh(at_most=REFRESH_NODES)
            await asyncio.sleep(0)
        if not settled and inventory.view.knows("pods"):
            memory.after_loading()
            settled = True


async def run_until(app: App, stop: asyncio.Event) -> bool:
    """Run until `stop` is set, or the connection to Slack is lost for good; True where it was stopped."""
    await app.start()
    try:
        assert app.socket is not None
        waits: Sequence[asyncio.Task[bool]] = [
            asyncio.create_task(stop.wait()),
            asyncio.create_task(app.socket.lost.wait()),
        ]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in waits:
            task.cancel()
    finally:
        await app.stop()
    return stop.is_set()
