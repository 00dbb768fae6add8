"""One look at a cluster: what is found, and what is said of that which is not."""

from datetime import UTC, datetime

import pytest

from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.once import read_once
from bot.adapters.cluster.pace import Pace
from bot.domain.errors import ClusterError
from bot.domain.source import Reading, Source
from bot.domain.view import View
from tests.adapters.cluster import samples
from tests.adapters.cluster.fake_api import PREFIXES, FakeApi, RefuseError

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


async def read(connection: Connection, *kinds: str, namespaces: tuple[str, ...] = (), page_limit: int = 500) -> View:
    pace = Pace(page_limit=page_limit)
    return await read_once("test", connection, now=lambda: NOW, kinds=kinds or None, namespaces=namespaces, pace=pace)


def refuse(status: int, *plurals: str, namespaced: bool | None = None):
    def rule(plural: str, _verb: str, request) -> None:
        asked_in_one = "/namespaces/" in request.path
        if plural in plurals and namespaced in (None, asked_in_one):
            raise RefuseError(status, "Refused", f"{plural} is forbidden")

    return rule


async def test_every_kind_is_read_and_known(api: FakeApi, connection: Connection) -> None:
    for plural in PREFIXES:
        namespace = "ml" if plural in ("pods", "replicasets", "jobs", "resourceclaims") else ""
        special = {"pods": samples.pod("a"), "nodes": samples.node("n")}
        api.put(plural, special.get(plural) or samples.plain(plural, "x", namespace))
    view = await read(connection)
    assert {plural: len(table) for plural, table in view.tables.items() if plural in PREFIXES} == dict.fromkeys(
        PREFIXES, 1
    )
    assert {source.reading for source in view.sources.values()} <= {Reading.READ, Reading.ABSENT}
    assert {source.heard_at for source in view.sources.values()} == {NOW}


async def test_only_the_kinds_asked_for_are_requested(api: FakeApi, connection: Connection) -> None:
    view = await read(connection, "nodes")
    assert [plural for _, plural, _ in api.requests] == ["nodes"]
    assert view.source("pods") == Source("pods", Reading.UNREAD)


@pytest.mark.parametrize("metadata_last", [False, True], ids=["metadata first", "metadata after the items"])
@pytest.mark.parametrize("page_limit", [1, 3, 7, 500])
async def test_pages_are_read_to_the_last(
    api: FakeApi, connection: Connection, page_limit: int, metadata_last: bool
) -> None:
    api.metadata_last = metadata_last
    for number in range(7):
        pod = samples.pod(f"p{number}")
        pod["metadata"]["annotations"] = {"long": "x" * 4000}  # so that a page is longer than what is searched
        api.put("pods", pod)
    view = await read(connection, "pods", page_limit=page_limit)
    assert sorted(view.pods) == [f"ml/p{number}" for number in range(7)]
    assert len(api.requests) == -(-7 // page_limit)


async def test_a_token_in_the_first_item_is_not_taken_for_the_lists(api: FakeApi, connection: Connection) -> None:
    api.metadata_last = True
    for number in range(3):
        pod = samples.pod(f"p{number}")
        pod["metadata"]["annotations"] = {"continue": "evil"}
        api.put("pods", pod)
    assert len((await read(connection, "pods", page_limit=2)).pods) == 3


async def test_a_list_that_outlives_its_snapshot_is_started_over(api: FakeApi, connection: Connection) -> None:
    for number in range(6):
        api.put("pods", samples.pod(f"p{number}"))

    def expire_once(plural: str, verb: str, request) -> None:
        if request.query.get("continue") and len(api.requests) < 4:
            raise RefuseError(410, "Expired", "The provided continue parameter is too old")

    api.rules.append(expire_once)
    assert len((await read(connection, "pods", page_limit=2)).pods) == 6
    assert [query.get("continue") is None for _, _, query in api.requests].count(True) >= 2


async def test_a_list_that_always_outlives_its_snapshot_is_asked_for_whole(
    api: FakeApi, connection: Connection
) -> None:
    for number in range(6):
        api.put("pods", samples.pod(f"p{number}"))

    def always(plural: str, verb: str, request) -> None:
        if request.query.get("continue"):
            raise RefuseError(410, "Expired", "too old")

    api.rules.append(always)
    assert len((await read(connection, "pods", page_limit=2)).pods) == 6
    assert "limit" not in api.requests[-1][2]


@pytest.mark.parametrize(
    ("status", "plural", "reading", "detail"),
    [
        pytest.param(403, "pods", Reading.FORBIDDEN, "needs `list pods` in all namespaces", id="forbidden pods"),
        pytest.param(403, "nodes", Reading.FORBIDDEN, "needs `list nodes`", id="forbidden nodes"),
        pytest.param(403, "jobs", Reading.FORBIDDEN, "needs `list jobs.batch` in all namespaces", id="forbidden group"),
        pytest.param(404, "resourceclaims", Reading.ABSENT, "", id="a kind that the server does not know"),
        pytest.param(500, "pods", Reading.SILENT, "answered 500 (Refused)", id="a server that fails"),
    ],
)
async def test_what_one_kind_lacks_is_told_and_the_others_are_read(
    api: FakeApi, connection: Connection, status: int, plural: str, reading: Reading, detail: str
) -> None:
    api.rules.append(refuse(status, plural))
    view = await read(connection)
    assert view.source(plural).reading is reading
    assert detail in view.source(plural).detail
    assert {source.reading for name, source in view.sources.items() if name != plural} <= {Reading.READ, Reading.ABSENT}


async def test_older_versions_of_a_kind_are_tried(api: FakeApi, connection: Connection) -> None:
    api.prefixes["resourceslices"] = "/apis/resource.k8s.io/v1beta1"
    device = {"name": "gpu-0", "basic": {"attributes": {"uuid": {"string": "GPU-1"}, "mig": {"bool": False}}}}
    slice_ = samples.plain("resourceslices", "s")
    slice_["spec"] |= {"nodeName": "n1", "devices": [device]}
    api.put("resourceslices", slice_)
    view = await read(connection, "resourceslices")
    (record,) = view.resourceslices.values()
    assert record.devices[0].attributes == {"uuid": "GPU-1", "mig": "false"}
    assert view.source("resourceslices").reading is Reading.READ


async def test_namespaces_are_read_one_by_one_where_all_are_forbidden(api: FakeApi, connection: Connection) -> None:
    for namespace in ("ml", "web", "secret"):
        api.put("pods", samples.pod("p", namespace))
    api.rules.append(refuse(403, "pods", "nodes", namespaced=False))
    view = await read(connection, "pods", "nodes", namespaces=("ml", "web"))
    assert sorted(view.pods) == ["ml/p", "web/p"]
    assert view.source("pods").reading is Reading.READ
    assert view.source("pods").detail == "only namespaces ml, web"
    assert view.source("nodes").detail == "needs `list nodes`"


async def test_one_namespace_that_is_forbidden_too_leaves_the_kind_unknown(
    api: FakeApi, connection: Connection
) -> None:
    def rule(plural: str, _verb: str, request) -> None:
        if "/namespaces/ml/" not in request.path:
            raise RefuseError(403, "Forbidden", "no")

    api.rules.append(rule)
    view = await read(connection, "pods", namespaces=("ml", "web"))
    assert not view.knows("pods")
    assert "web: needs `list pods` in namespace web" in view.source("pods").detail


async def test_objects_that_are_none_cost_themselves_only_and_are_told(api: FakeApi, connection: Connection) -> None:
    api.put("pods", samples.pod("good"))
    shape = api.put("pods", samples.pod("shape"))
    shape["spec"]["containers"] = "none"
    quantity = api.put("pods", samples.pod("quantity"))
    quantity["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "many"
    view = await read(connection, "pods")
    assert list(view.pods) == ["ml/good"]
    assert view.source("pods").reading is Reading.READ
    assert view.source("pods").detail.startswith("2 could not be read, such as ml/")


async def test_nulls_where_lists_and_maps_belong_are_none_of_them(api: FakeApi, connection: Connection) -> None:
    pod = samples.pod("p")
    pod["metadata"] |= {"labels": None, "ownerReferences": None, "deletionTimestamp": None}
    pod["spec"] |= {"containers": None, "nodeName": None, "priority": None, "schedulingGates": None}
    pod["status"] |= {"conditions": None, "containerStatuses": None}
    api.put("pods", pod)
    view = await read(connection, "pods")
    assert view.source("pods").detail == ""
    assert view.pods["ml/p"].requests == {}


async def test_a_server_that_accepts_no_credentials_is_one_error(api: FakeApi, connection: Connection) -> None:
    api.token = "right"
    with pytest.raises(ClusterError, match=r"does not accept the credentials \(401\)") as caught:
        await read(connection)
    assert not caught.value.retryable


async def test_a_server_that_is_not_there_is_one_error(api: FakeApi, connection: Connection) -> None:
    await api.stop()
    with pytest.raises(ClusterError, match=r"Cannot reach http://127.0.0.1:\d+ \(connection refused\)") as caught:
        await read(connection)
    assert caught.value.retryable


async def test_a_page_that_is_not_json_is_an_answer_not_understood(api: FakeApi, connection: Connection) -> None:
    from aiohttp import web

    api._list = lambda *_: web.Response(text="<html>Sign in</html>")  # type: ignore[method-assign]
    with pytest.raises(ClusterError, match="its answer is not what an API server sends"):
        await read(connection, "pods")
