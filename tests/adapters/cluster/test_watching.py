"""A cluster kept current: events, and everything that can happen to the connection that brings them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.adapters.cluster.access import Access
from bot.adapters.cluster.cache import WatchCache
from bot.adapters.cluster.connection import Connection, plain
from bot.adapters.cluster.pace import Pace
from bot.domain.errors import ClusterError, ConfigError
from bot.domain.source import Reading
from tests.adapters.cluster import samples
from tests.adapters.cluster.fake_api import FakeApi, RefuseError
from tests.adapters.cluster.waiting import until


class Ticking:
    """A clock that moves a second whenever it is read."""

    def __init__(self) -> None:
        self.time = datetime(2026, 12, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


class Waits:
    """Sleeps that are noted and take no time."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0.001)


@asynccontextmanager
async def caching(connection: Connection, *kinds: str, **options: Any) -> AsyncIterator[WatchCache]:
    pace = options.pop("pace", None) or Pace(sleep=Waits(), page_limit=options.pop("page_limit", 500))
    cache = WatchCache("test", connection, now=Ticking(), kinds=kinds or ("pods",), pace=pace, **options)
    await cache.start()
    try:
        yield cache
    finally:
        await cache.stop()


def reading(cache: WatchCache, kind: str = "pods") -> Reading:
    return cache.view.source(kind).reading


async def live(api: FakeApi, cache: WatchCache, watches: int = 1) -> None:
    await cache.synced(10)
    await api.until("watch", "pods", watches)
    await until(cache, lambda: reading(cache) is Reading.LIVE)


# ---- events ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("watch_list", [False, True], ids=["list and watch", "WatchList"])
async def test_what_is_there_and_what_changes_is_in_the_view(
    api: FakeApi, connection: Connection, watch_list: bool
) -> None:
    api.put("pods", samples.pod("old", node="n1", gpus=2))
    async with caching(connection, watch_list=watch_list) as cache:
        await live(api, cache)
        assert cache.view.pods["ml/old"].node == "n1"
        api.put("pods", samples.pod("new"))
        await until(cache, lambda: "ml/new" in cache.view.pods)
        api.put("pods", samples.pod("new", node="n2", gpus=4))
        await until(cache, lambda: cache.view.requested_on("n2").get("nvidia.com/gpu") == 4)
        assert not cache.view.waiting
        api.remove("pods", "ml/old")
        await until(cache, lambda: "ml/old" not in cache.view.pods)
        assert cache.view.requested_on("n1") == {}
    assert api.served["list", "pods"] == (0 if watch_list else 1)


@pytest.mark.parametrize("cut", [1, 2, 3, 7, 64, 1000])
async def test_lines_may_be_cut_anywhere(api: FakeApi, connection: Connection, cut: int) -> None:
    api.cut = cut
    async with caching(connection) as cache:
        await live(api, cache)
        for number in range(3):
            api.put("pods", samples.pod(f"p{number}"))
        api.bookmark()
        api.put("pods", samples.pod("lästig", message="ünï\ncode"))
        await until(cache, lambda: len(cache.view.pods) == 4)
    assert sorted(cache.view.pods) == ["ml/lästig", "ml/p0", "ml/p1", "ml/p2"]


async def test_a_bookmark_moves_the_version_and_the_last_word(api: FakeApi, connection: Connection) -> None:
    async with caching(connection) as cache:
        await live(api, cache)
        before = cache.view.source("pods").heard_at
        api.bookmark()
        await until(cache, lambda: cache.view.source("pods").heard_at != before)
        api.end()
        await api.until("watch", "pods", 2)
    assert api.requests[-1][2]["resourceVersion"] == str(api.version)


async def test_a_watch_asks_for_bookmarks_and_an_end_within_five_to_ten_minutes(
    api: FakeApi, connection: Connection
) -> None:
    async with caching(connection) as cache:
        await live(api, cache)
    query = api.requests[-1][2]
    assert query["allowWatchBookmarks"] == "true"
    assert 300 <= int(query["timeoutSeconds"]) <= 600


async def test_an_odd_object_in_a_watch_keeps_its_last_good_record_and_is_told(
    api: FakeApi, connection: Connection
) -> None:
    api.put("pods", samples.pod("a", node="n1"))
    async with caching(connection) as cache:
        await live(api, cache)
        odd = samples.pod("a")
        odd["spec"]["containers"] = 3
        api.put("pods", odd)
        await until(cache, lambda: bool(cache.view.source("pods").detail))
        assert cache.view.source("pods").detail.startswith("1 could not be read, such as ml/a")
        assert reading(cache) is Reading.LIVE
        assert cache.view.pods["ml/a"].node == "n1"
        api.put("pods", samples.pod("a", node="n2"))
        await until(cache, lambda: not cache.view.source("pods").detail)
        assert cache.view.pods["ml/a"].node == "n2"


async def test_an_odd_object_that_is_deleted_is_gone(api: FakeApi, connection: Connection) -> None:
    odd = api.put("pods", samples.pod("a"))
    async with caching(connection) as cache:
        await live(api, cache)
        odd["spec"]["containers"] = 3
        api.remove("pods", "ml/a")
        await until(cache, lambda: "ml/a" not in cache.view.pods)
        assert cache.view.source("pods").detail == ""


async def test_a_listener_hears_of_each_kind_that_changed_and_its_failure_stops_nothing(
    api: FakeApi, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []

    def broken(_: str) -> None:
        raise RuntimeError("listener")

    async with caching(connection, "pods", "nodes") as cache:
        await live(api, cache)
        cache.on_change(broken)
        end = cache.on_change(heard.append)
        api.put("pods", samples.pod("a"))
        await until(cache, lambda: "ml/a" in cache.view.pods)
        api.put("nodes", samples.node("n"))
        await until(cache, lambda: "n" in cache.view.nodes)
        end()
        api.put("nodes", samples.node("n2"))
        await until(cache, lambda: "n2" in cache.view.nodes)
    assert heard == ["pods", "nodes"]
    assert "a listener of test failed" in caplog.text


# ---- too old ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_event", [True, False], ids=["as an ERROR event", "as a status"])
async def test_after_410_the_list_is_read_anew_and_no_reader_ever_sees_it_empty(
    api: FakeApi, connection: Connection, as_event: bool
) -> None:
    api.gone_as_event = as_event
    for number in range(300):
        api.put("pods", samples.pod(f"p{number:03}", node="n1"))
    async with caching(connection, page_limit=20) as cache:
        await live(api, cache)
        kept = cache.view.pods["ml/p200"]
        sizes: set[int] = set()
        readings: set[Reading] = set()

        async def poll() -> None:
            while True:
                sizes.add(len(cache.view.pods))
                sizes.add(len(cache.view.on_node("n1")))
                readings.add(reading(cache))
                await asyncio.sleep(0)

        polling = asyncio.create_task(poll())
        api.end()
        for number in range(100):
            api.objects["pods"].pop(f"ml/p{number:03}")
        api.put("pods", samples.pod("p100", node="n2"))
        api.forget()
        await until(cache, lambda: len(cache.view.pods) == 200)
        polling.cancel()
    assert min(sizes) >= 199
    assert readings <= {Reading.LIVE, Reading.READ}
    assert cache.view.pods["ml/p200"] is kept
    assert {pod.name for pod in cache.view.on_node("n2")} == {"p100"}


async def test_a_server_that_says_410_for_ever_is_asked_ever_more_seldom(api: FakeApi, connection: Connection) -> None:
    waits = Waits()

    def rule(_plural: str, verb: str, _request: Any) -> None:
        if verb == "watch":
            raise RefuseError(410, "Expired", "too old")

    api.rules.append(rule)
    async with caching(connection, pace=Pace(sleep=waits, chance=lambda: 1.0)):
        await api.until("watch", "pods", 8)
    assert waits.seconds[:7] == [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0]


# ---- the connection breaks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", [b"", b'{"type":"MODIFIED","object":{"met'], ids=["between lines", "in a line"])
async def test_after_a_break_the_watch_goes_on_where_it_was(api: FakeApi, connection: Connection, half: bytes) -> None:
    api.put("pods", samples.pod("a"))
    async with caching(connection) as cache:
        await live(api, cache)
        api.put("pods", samples.pod("b"))
        await until(cache, lambda: "ml/b" in cache.view.pods)
        api.drop(half=half)
        api.put("pods", samples.pod("c"))
        await until(cache, lambda: "ml/c" in cache.view.pods)
        assert reading(cache) is Reading.LIVE
    assert api.served["list", "pods"] == 1


async def test_a_watch_that_ends_in_the_middle_of_a_line_was_broken(api: FakeApi, connection: Connection) -> None:
    waits = Waits()
    async with caching(connection, pace=Pace(sleep=waits, chance=lambda: 1.0)) as cache:
        await live(api, cache)
        api.put("pods", samples.pod("a"))
        await until(cache, lambda: "ml/a" in cache.view.pods)
        api.say(b'{"type":"MODIFIED","obj')
        api.end()
        await api.until("watch", "pods", 2)
        assert waits.seconds == [0.8]


async def test_while_the_server_is_away_the_last_state_is_kept_and_told_as_stale(
    api: FakeApi, connection: Connection
) -> None:
    api.put("pods", samples.pod("a"))
    async with caching(connection) as cache:
        await live(api, cache)
        heard_at = cache.view.source("pods").heard_at
        await api.stop()
        await until(cache, lambda: reading(cache) is Reading.STALE and "refused" in cache.view.source("pods").detail)
        assert list(cache.view.pods) == ["ml/a"]
        assert (cache.view.source("pods").heard_at or datetime.max.replace(tzinfo=UTC)) - heard_at <= timedelta(
            seconds=2
        )
        api.put("pods", samples.pod("b"))
        await api.start()
        await until(cache, lambda: "ml/b" in cache.view.pods and reading(cache) is Reading.LIVE)


async def test_waits_grow_to_half_a_minute_and_are_random(api: FakeApi, connection: Connection) -> None:
    await api.stop()
    waits = Waits()
    chances = iter([0.0, 1.0, 0.5, *[0.0] * 100])
    async with caching(connection, pace=Pace(sleep=waits, chance=lambda: next(chances))) as cache:
        await until(cache, lambda: len(waits.seconds) >= 8)
        assert reading(cache) is Reading.SILENT
    assert waits.seconds[:8] == pytest.approx([0.4, 1.6, 2.4, 3.2, 6.4, 12.8, 15.0, 15.0])


async def test_a_word_from_the_server_makes_the_waits_short_again(api: FakeApi, connection: Connection) -> None:
    waits = Waits()
    async with caching(connection, pace=Pace(sleep=waits, chance=lambda: 1.0)) as cache:
        await live(api, cache)
        for number in range(3):
            api.drop()
            await api.until("watch", "pods", number + 2)
            await until(cache, lambda: reading(cache) is Reading.LIVE)
        assert waits.seconds == [0.8, 1.6, 3.2]
        api.put("pods", samples.pod("a"))
        await until(cache, lambda: "ml/a" in cache.view.pods)
        api.drop()
        await api.until("watch", "pods", 5)
    assert waits.seconds[3] == 0.8


async def test_a_watch_that_ends_at_once_is_not_asked_for_at_once_again(api: FakeApi, connection: Connection) -> None:
    waits = Waits()
    async with caching(connection, pace=Pace(sleep=waits, chance=lambda: 1.0)) as cache:
        for number in range(4):
            await api.until("watch", "pods", number + 1)
            await until(cache, lambda: reading(cache) is Reading.LIVE)
            api.end()
        await api.until("watch", "pods", 5)
    assert waits.seconds[:4] == [0.8, 1.6, 3.2, 6.4]


async def test_an_open_watch_that_stays_silent_is_left_for_a_new_one(api: FakeApi, connection: Connection) -> None:
    async with caching(connection, pace=Pace(sleep=Waits(), silence_seconds=0.1)) as cache:
        await live(api, cache, watches=3)


async def test_retry_after_is_heeded(api: FakeApi, connection: Connection) -> None:
    waits = Waits()

    def rule(*_: Any) -> None:
        if len(waits.seconds) < 2:
            raise RefuseError(429, "TooManyRequests", "slow down", {"Retry-After": "17"})

    api.rules.append(rule)
    async with caching(connection, pace=Pace(sleep=waits, chance=lambda: 1.0)) as cache:
        await live(api, cache)
    assert waits.seconds == [17.0, 17.0]


# ---- what is not allowed or not there --------------------------------------------------------------------------------


async def test_a_forbidden_kind_is_told_asked_again_each_minute_and_read_when_allowed(
    api: FakeApi, connection: Connection
) -> None:
    waits = Waits()

    def rule(plural: str, _verb: str, _request: Any) -> None:
        if plural == "pods" and len(waits.seconds) < 3:
            raise RefuseError(403, "Forbidden", "pods is forbidden")

    api.rules.append(rule)
    async with caching(connection, "pods", "nodes", pace=Pace(sleep=waits)) as cache:
        await until(cache, lambda: reading(cache) is Reading.FORBIDDEN)
        assert cache.view.source("pods").detail == "needs `list pods` in all namespaces"
        await live(api, cache)
        assert reading(cache, "nodes") is Reading.LIVE
    assert waits.seconds == [60.0] * 3


async def test_where_only_watching_is_forbidden_the_list_is_read_anew_each_minute(
    api: FakeApi, connection: Connection
) -> None:
    waits = Waits()

    def rule(_plural: str, verb: str, _request: Any) -> None:
        if verb == "watch":
            raise RefuseError(403, "Forbidden", "no")

    api.rules.append(rule)
    async with caching(connection, pace=Pace(sleep=waits)) as cache:
        await api.until("list", "pods", 2)
        api.put("pods", samples.pod("a"))
        await until(cache, lambda: "ml/a" in cache.view.pods)
        assert reading(cache) is Reading.READ
        await until(cache, lambda: "needs `watch pods`" in cache.view.source("pods").detail)
    assert set(waits.seconds) == {60.0}


async def test_a_kind_that_goes_away_with_its_crd_leaves_nothing_behind(api: FakeApi, connection: Connection) -> None:
    api.put("resourceclaims", samples.plain("resourceclaims", "c", "ml"))
    async with caching(connection, "resourceclaims") as cache:
        await cache.synced(10)
        await api.until("watch", "resourceclaims")
        prefix = api.prefixes.pop("resourceclaims")
        api.end()
        await until(cache, lambda: reading(cache, "resourceclaims") is Reading.ABSENT)
        assert cache.view.resourceclaims == {}
        api.prefixes["resourceclaims"] = prefix
        await until(cache, lambda: len(cache.view.resourceclaims) == 1)


async def test_each_of_the_named_namespaces_is_watched_where_all_are_forbidden(
    api: FakeApi, connection: Connection
) -> None:
    api.put("pods", samples.pod("a", "ml"))

    def rule(_plural: str, _verb: str, request: Any) -> None:
        if "/namespaces/" not in request.path:
            raise RefuseError(403, "Forbidden", "no")

    api.rules.append(rule)
    async with caching(connection, namespaces=("ml", "web")) as cache:
        await cache.synced(10)
        await api.until("watch", "pods", 2)
        for namespace in ("ml", "web", "secret"):
            api.put("pods", samples.pod("b", namespace))
        await until(cache, lambda: len(cache.view.pods) == 3)
        await until(cache, lambda: reading(cache) is Reading.LIVE)
        assert sorted(cache.view.pods) == ["ml/a", "ml/b", "web/b"]
        assert cache.view.source("pods").detail == "only namespaces ml, web"


async def test_credentials_that_are_not_accepted_are_told_and_tried_again(api: FakeApi, connection: Connection) -> None:
    api.token = "new"
    async with caching(connection) as cache:
        await until(cache, lambda: "(401)" in cache.view.source("pods").detail)
        assert reading(cache) is Reading.SILENT
        api.token = None
        await live(api, cache)


async def test_a_plugin_that_fails_while_running_is_told_in_its_own_words(api: FakeApi) -> None:
    async def load() -> Access:
        raise ConfigError("The exec plugin p failed with status 1: log in")

    api.token = "new"
    async with Connection(Access(api.url, "a test"), load) as connection, caching(connection) as cache:
        await until(cache, lambda: "log in" in cache.view.source("pods").detail)
        assert reading(cache) is Reading.SILENT


# ---- WatchList -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("says", ["422", "a plain watch"])
async def test_a_server_without_watch_list_is_listed(api: FakeApi, connection: Connection, says: str) -> None:
    api.put("pods", samples.pod("a"))
    api.has_watch_list = says != "422"
    if says == "a plain watch":
        api._missed = lambda *_: []  # type: ignore[method-assign]  # as one that ignores what it does not know
    async with caching(connection, watch_list=True) as cache:
        await api.until("watch", "pods")
        if says == "a plain watch":
            await asyncio.sleep(0.05)
            api.bookmark()
        await live(api, cache, watches=2)
        assert list(cache.view.pods) == ["ml/a"]
    assert api.served["list", "pods"] == 1


async def test_a_watch_list_that_replaces_an_old_state_removes_what_is_gone(
    api: FakeApi, connection: Connection
) -> None:
    api.put("pods", samples.pod("a"))
    api.put("pods", samples.pod("b"))
    async with caching(connection, watch_list=True) as cache:
        await live(api, cache)
        api.objects["pods"].pop("ml/a")
        api.version += 1
        api.end()
        api.forget()
        await until(cache, lambda: list(cache.view.pods) == ["ml/b"])
    assert api.served["list", "pods"] == 0


# ---- starting --------------------------------------------------------------------------------------------------------


async def test_synced_waits_for_a_slow_server(api: FakeApi, connection: Connection) -> None:
    gate = asyncio.Event()
    api.rules.append(lambda plural, verb, request: gate.wait())
    async with caching(connection) as cache:
        assert cache.view.source("pods").detail == "still being read"
        waiting = asyncio.create_task(cache.synced(10))
        await api.until("list", "pods")
        assert not waiting.done()
        gate.set()
        await waiting
        assert cache.view.knows("pods")


async def test_synced_says_why_where_nothing_could_be_read(api: FakeApi, connection: Connection) -> None:
    await api.stop()
    async with caching(connection) as cache:
        await until(cache, lambda: "refused" in cache.view.source("pods").detail)
        with pytest.raises(ClusterError, match=r"test: Cannot reach http://127\.0\.0\.1"):
            await cache.synced(0.01)


async def test_synced_is_content_with_what_there_is_when_its_time_is_over(api: FakeApi, connection: Connection) -> None:
    def rule(plural: str, _verb: str, _request: Any) -> None:
        if plural == "pods":
            raise RefuseError(500, "InternalError", "no")

    api.rules.append(rule)
    async with caching(connection, "pods", "nodes") as cache:
        await cache.synced(0.3)
        assert cache.view.knows("nodes")
        assert not cache.view.knows("pods")


async def test_two_clusters_side_by_side_share_nothing(api: FakeApi, connection: Connection) -> None:
    other = FakeApi()
    await other.start()
    try:
        api.put("pods", samples.pod("a"))
        other.put("pods", samples.pod("b"))
        async with plain(other.url) as second, caching(connection) as one, caching(second) as two:
            await one.synced(10)
            await two.synced(10)
            assert (list(one.view.pods), list(two.view.pods)) == (["ml/a"], ["ml/b"])
    finally:
        await other.stop()


async def test_stopping_ends_every_request(api: FakeApi, connection: Connection) -> None:
    async with caching(connection) as cache:
        await live(api, cache)
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("test ")]
