"""The same reading against the local cluster's API server: written apart from this reader, and from its fake."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters.cluster.cache import WatchCache
from bot.adapters.cluster.connection import Connection, from_kubeconfig
from bot.adapters.cluster.once import read_once
from bot.adapters.cluster.pace import Pace
from bot.domain.source import Reading
from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import RESOURCES, Store
from tests.adapters.cluster import samples
from tests.adapters.cluster.waiting import until

PODS, NODES = RESOURCES["", "pods"], RESOURCES["", "nodes"]


@pytest.fixture
def store() -> Store:
    made = Store(clock=lambda: datetime(2026, 12, 1, tzinfo=UTC), graceful_pods=False)
    made.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": "ml"}})
    made.create(NODES, "", samples.node("n1"))
    for number in range(25):
        made.create(PODS, "ml", samples.pod(f"p{number}", node="n1", gpus=1))
    return made


@pytest.fixture
async def server(store: Store) -> AsyncIterator[ApiServer]:
    api = ApiServer(store, bookmark_seconds=0.05)
    await api.start()
    yield api
    await api.stop()


@pytest.fixture
async def connection(server: ApiServer, tmp_path: Path) -> AsyncIterator[Connection]:
    server.write_kubeconfig(tmp_path / "kc")
    async with await from_kubeconfig(str(tmp_path / "kc")) as opened:
        yield opened


async def test_it_is_read_once_in_pages(connection: Connection) -> None:
    view = await read_once("local", connection, now=lambda: datetime.now(UTC), pace=Pace(page_limit=10))
    assert {source.reading for source in view.sources.values()} == {Reading.READ, Reading.ABSENT}
    assert view.requested_on("n1") == {"cpu": 50_000, "nvidia.com/gpu": 25, "pods": 25}
    assert set(view.namespaces) == {"ml"}


@pytest.mark.parametrize("watch_list", [False, True], ids=["list and watch", "WatchList"])
async def test_it_is_followed_through_breaks_failures_and_compaction(
    server: ApiServer, store: Store, connection: Connection, watch_list: bool
) -> None:
    pace = Pace(page_limit=10, first_backoff_seconds=0.01, longest_backoff_seconds=0.05)
    cache = WatchCache("local", connection, now=lambda: datetime.now(UTC), watch_list=watch_list, pace=pace)
    await cache.start()
    try:
        await cache.synced(10)
        view = cache.view
        store.create(PODS, "ml", samples.pod("new"))
        await until(cache, lambda: {pod.name for pod in view.waiting} == {"new"})
        server.drop_watches()
        store.delete(PODS, "ml", "new")
        await until(cache, lambda: not view.waiting)
        server.fail("/api/v1/pods", 503, times=5)
        server.drop_watches()
        await until(cache, lambda: view.source("pods").reading is Reading.STALE)
        store.delete(PODS, "ml", "p0")
        store.create(PODS, "ml", samples.pod("later", node="n1", gpus=3))
        server.compact()
        server.drop_watches()
        await until(cache, lambda: "ml/later" in view.pods)
        await until(
            cache, lambda: {source.reading for source in view.sources.values()} == {Reading.LIVE, Reading.ABSENT}
        )
        assert view.requested_on("n1") == {"cpu": 50_000, "nvidia.com/gpu": 27, "pods": 25}
    finally:
        await cache.stop()


async def test_bookmarks_keep_a_quiet_kind_fresh(server: ApiServer, connection: Connection) -> None:
    cache = WatchCache("local", connection, now=lambda: datetime.now(UTC), kinds=["nodes"])
    await cache.start()
    try:
        await cache.synced(10)
        first = cache.view.source("nodes").heard_at
        await until(cache, lambda: (cache.view.source("nodes").heard_at or first) > first)
        assert cache.view.source("nodes").reading is Reading.LIVE
    finally:
        await cache.stop()
