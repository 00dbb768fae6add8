"""Watches as kube-apiserver serves them: from where they start, what they tell, how they end."""

from __future__ import annotations

import pytest

from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import Store
from tests.local.cluster.api_objects import PODS, Http, pod

WATCH = "/api/v1/pods?watch=1"
STREAMED = f"{WATCH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@pytest.fixture(autouse=True)
def pods(store: Store) -> None:
    store.create(PODS, "default", pod("p1", {"app": "a"}))
    store.create(PODS, "other", pod("p2", {"app": "b"}))


def relabel(store: Store, name: str, app: str) -> None:
    old = store.get(PODS, "default", name)
    store.update(PODS, "default", name, {**old, "metadata": {**old["metadata"], "labels": {"app": app}}})


async def test_from_a_version_only_what_came_later_is_told(http: Http, store: Store) -> None:
    version = store.version
    store.create(PODS, "default", pod("before"))
    async with http.watch(f"{WATCH}&resourceVersion={version}") as events:
        relabel(store, "p1", "c")
        store.delete(PODS, "default", "before")
        told = await events.told(3)
    assert told == [("ADDED", "before"), ("MODIFIED", "p1"), ("DELETED", "before")]


async def test_from_nothing_what_is_there_comes_first(http: Http, store: Store) -> None:
    async with http.watch(WATCH) as events:
        assert await events.told(2) == [("ADDED", "p1"), ("ADDED", "p2")]
        store.create(PODS, "default", pod("later"))
        assert await events.told(1) == [("ADDED", "later")]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        pytest.param("/api/v1/namespaces/other/pods?watch=1", ["p2", "in-other"], id="a namespace"),
        pytest.param(f"{WATCH}&labelSelector=app%3Db", ["p2", "in-other"], id="a label selector"),
        pytest.param(f"{WATCH}&fieldSelector=metadata.name%3Dp2", ["p2"], id="a field selector"),
        pytest.param("/api/v1/namespaces/other/pods/p2?watch=1", ["p2"], id="one object"),
    ],
)
async def test_a_watch_tells_only_what_it_asked_for(
    http: Http, server: ApiServer, store: Store, path: str, names: list[str]
) -> None:
    async with http.watch(path) as events:
        assert await events.told(1) == [("ADDED", names[0])]
        store.create(PODS, "default", pod("elsewhere", {"app": "a"}))
        store.create(PODS, "other", pod("in-other", {"app": "b"}))
        assert await events.told(len(names) - 1) == [("ADDED", name) for name in names[1:]]
        server.drop_watches()
        assert await events.ended()


async def test_a_watch_ends_when_its_time_is_over(http: Http) -> None:
    async with http.watch("/api/v1/nodes?watch=1&timeoutSeconds=1") as events:
        await events.told(1)
        assert await events.ended()


@pytest.mark.parametrize("live", [pytest.param(True, id="live"), pytest.param(False, id="replayed from history")])
async def test_entering_a_selection_is_added_and_leaving_it_is_deleted(http: Http, store: Store, live: bool) -> None:
    version = store.version
    if not live:
        for app in ("x", "y", "x"):
            relabel(store, "p1", app)
    async with http.watch(f"{WATCH}&labelSelector=app%3Dx&resourceVersion={version}") as events:
        if live:
            for app in ("x", "y", "x"):
                relabel(store, "p1", app)
        assert await events.told(3) == [("ADDED", "p1"), ("DELETED", "p1"), ("ADDED", "p1")]


@pytest.mark.parametrize("how", ["compacted", "older than the cluster"])
async def test_a_forgotten_version_is_an_error_event_with_code_410(
    http: Http, server: ApiServer, store: Store, how: str
) -> None:
    version = "1"
    if how == "compacted":
        version = str(store.version)
        relabel(store, "p1", "z")
        server.compact()
    async with http.watch(f"{WATCH}&resourceVersion={version}") as events:
        event = await events.next()
        assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
        assert await events.ended()


async def test_a_streamed_list_ends_with_an_annotated_bookmark(http: Http, store: Store) -> None:
    async with http.watch(STREAMED) as events:
        assert await events.told(2) == [("ADDED", "p1"), ("ADDED", "p2")]
        mark = await events.next()
    metadata = mark["object"]["metadata"]
    assert (mark["type"], metadata["annotations"]) == ("BOOKMARK", {"k8s.io/initial-events-end": "true"})
    assert metadata["resourceVersion"] == str(store.version)


async def test_a_quiet_watch_is_bookmarked_now_and_then(store: Store) -> None:
    import aiohttp

    api = ApiServer(store, bookmark_seconds=0.05)
    await api.start()
    async with aiohttp.ClientSession() as session:
        path = f"{WATCH}&allowWatchBookmarks=true&resourceVersion={store.version}"
        async with Http(session, api.url).watch(path) as events:
            mark = await events.next()
    await api.stop()
    assert (mark["type"], mark["object"]["metadata"]["resourceVersion"]) == ("BOOKMARK", str(store.version))


async def test_table_events_say_their_columns_once(http: Http) -> None:
    async with http.watch(WATCH, Accept=TABLE) as events:
        first, second = await events.next(), await events.next()
    assert first["object"]["kind"] == "Table"
    assert (len(first["object"]["columnDefinitions"]), second["object"]["columnDefinitions"]) == (9, [])
    assert second["object"]["rows"][0]["cells"][0] == "p2"


async def test_dropped_watches_end_and_can_be_resumed(http: Http, server: ApiServer, store: Store) -> None:
    version = store.version
    async with http.watch(f"{WATCH}&resourceVersion={version}") as events:
        server.drop_watches()
        assert await events.ended()
    relabel(store, "p1", "q")
    async with http.watch(f"{WATCH}&resourceVersion={version}") as events:
        assert await events.told(1) == [("MODIFIED", "p1")]


async def test_a_watch_is_forgotten_when_its_client_goes(http: Http, server: ApiServer, store: Store) -> None:
    async with http.watch(WATCH) as events:
        await events.told(2)
        assert server.open_watches == 1
    async with http.watch("/api/v1/nodes?watch=1") as events:  # a later connection: the earlier one's end is handled
        await events.told(1)
        assert server.open_watches == 1
