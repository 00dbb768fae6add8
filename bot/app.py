"""The composition root: settings → clusters → commands → Slack.

Reading is started for all clusters at once and never waited for: a cluster that does not answer is a cluster of which
answers say so, while the others are asked as usual.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import aiohttp
import structlog
from slack_bolt.async_app import AsyncApp

from bot.adapters.cluster import memory
from bot.adapters.cluster.cache import WatchCache
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.looker import ClusterLooker
from bot.adapters.cluster.opening import open_connection
from bot.adapters.nodes.reader import NodeReader
from bot.adapters.store.recorder import Recorder
from bot.command import Cluster
from bot.dialogue import all_commands
from bot.gpu.inventory import Inventory
from bot.jobs.job import Services
from bot.jobs.schedule import Schedule
from bot.slack.connection import Socket, check, web_client
from bot.slack.desk import Desk
from bot.slack.listeners import register
from bot.slack.redelivery import Redelivery
from bot.slack.shelf import Shelf
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
        self.recorder = Recorder(settings.store.opened_url(), [one.name for one in chosen], now=now)
        self.socket: Socket | None = None

    async def start(self) -> None:
        """Raises ConfigError and ChatError with one clear sentence; what was started is stopped again then."""
        memory.before_loading()
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
        nodes = NodeReader(connection, cache.view, self.settings.nodes.access(), now=self._now)
        nodes.prepare()
        looker = ClusterLooker(connection, nodes)
        self.clusters[chosen.name] = Cluster(chosen.name, cache.view, inventory, self.recorder, looker)
        refresher = asyncio.create_task(_keep_fresh(inventory), name=f"refresh-{chosen.name}")
        self._stack.push_async_callback(_ended, refresher)
        log.info("reading a cluster", cluster=chosen.name, server=connection.base_url)

    async def _remember(self) -> None:
        """Jobs begin once there is somewhere to remember; a database that is out of reach is tried again later."""
        self._stack.push_async_callback(self.recorder.close)
        await self.recorder.start()
        services = Services(self.clusters, self.recorder, self._now, self.settings.store.kept_days)
        schedule = Schedule(services)
        schedule.start()
        self._stack.push_async_callback(schedule.stop)

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
        await check(client)
        app = AsyncApp(client=client)
        desk = Desk(
            commands=self._commands,
            clusters=self.clusters,
            usual=slack.default_cluster or next(iter(self.clusters)),
            channel_clusters=slack.channel_clusters,
            now=self._now,
            shelf=Shelf(),
        )
        register(app, desk, Redelivery(asyncio.get_running_loop().time), slack.slashes())
        self.socket = Socket(app, self._tokens[1], slack.ping_interval_seconds)
        await self.socket.start()
        self._stack.push_async_callback(self.socket.stop)
        log.info("joined slack", base_url=slack.base_url)


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


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


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
