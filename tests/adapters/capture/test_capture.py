"""A live cluster into a folder and back: the same records; what is secret stays behind, and so do names if wanted."""

import re
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from bot.adapters.capture import Report, capture
from bot.adapters.capture.rename import Renamer, plan
from bot.adapters.cluster import connection
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.once import read_once
from bot.adapters.files import Loaded, read
from bot.domain.errors import ClusterError, ConfigError
from bot.domain.record import Record
from bot.domain.source import Reading
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.local.cluster.api import ApiServer, User
from bot.local.cluster.store import Store
from tests.adapters.capture.cluster_objects import a_pod, cluster, owner
from tests.adapters.capture.conftest import NOW, load


async def captured(live: Connection, target: Path, *, rename: bool = False) -> tuple[Report, Loaded]:
    report = await capture(live, target, rename=rename, now=NOW)
    return report, read(target, now=NOW)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def plain(view: View) -> Mapping[str, Mapping[str, object]]:
    """All records as data that compares by value, without versions."""
    return {
        kind: {key: without_version(record) for key, record in table.items()}
        for kind, table in view.tables.items()
        if table
    }


def without_version(record: Record) -> object:
    data = msgspec.to_builtins(msgspec.structs.replace(record, version=""), builtin_types=(Mapping,), enc_hook=dict)
    return data | {"raw": msgspec.json.decode(record.raw)} if isinstance(record, Thing) else data


async def test_a_capture_gives_the_same_records_as_the_live_cluster(live: Connection, tmp_path: Path) -> None:
    seen = await read_once("live", live, now=lambda: NOW)
    _, loaded = await captured(live, tmp_path / "folder")
    assert plain(loaded.view) == plain(seen)
    assert loaded.view.nodes["gpu-rack7-b.acme.example.com"].cordoned_by == "kubectl-cordon"
    assert {name for name, source in loaded.view.sources.items() if not source.known} == set()
    assert loaded.now == NOW


async def test_secrets_are_not_even_asked_for(server: ApiServer, live: Connection, tmp_path: Path) -> None:
    server.fail("/api/v1/secrets", 500)
    report, _ = await captured(live, tmp_path / "folder")
    assert (report.silent, "Secret" in report.objects) == ({}, False)
    async with live.get("/api/v1/pods", {}, silence_seconds=5):
        pass  # the planned fault is still waiting for its request, and only for that
    written = (tmp_path / "folder/objects.yaml").read_text()
    assert "aGZfYWJj" not in written
    assert "inner words" not in written
    assert "prompt: <masked>" in written


async def test_the_folder_is_for_its_owner_only_and_always_the_same(live: Connection, tmp_path: Path) -> None:
    await captured(live, tmp_path / "one")
    await captured(live, tmp_path / "two")
    for name in ("case.yaml", "objects.yaml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
        assert stat.S_IMODE((tmp_path / "one" / name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "one").stat().st_mode) == 0o700
    assert names(tmp_path) == ["one", "two"]


async def test_objects_come_by_kind_namespace_and_name(live: Connection, tmp_path: Path) -> None:
    report, _ = await captured(live, tmp_path / "folder")
    text = (tmp_path / "folder/objects.yaml").read_text()
    kinds = re.findall(r"^kind: (\w+)$", text, re.MULTILINE)
    assert kinds[:4] == ["Namespace"] * 4
    assert list(dict.fromkeys(kinds)) == ["Namespace", "Node", "Pod", "Deployment", "ReplicaSet", "StatefulSet", "ConfigMap", "Event"]  # fmt: skip
    assert report.objects["Pod"] == 3
    assert report.bytes_written == (tmp_path / "folder/objects.yaml").stat().st_size


async def test_pages_are_followed(server: ApiServer, live: Connection, tmp_path: Path) -> None:
    pods = [a_pod(f"many-{n}", "acme-serving", owner("StatefulSet", "many"), node="gpu-rack7-a") for n in range(1_201)]
    store = Store(clock=lambda: NOW)
    load(store, {"pods": pods})
    other = ApiServer(store)
    await other.start()
    opened = connection.plain(other.url)
    report, loaded = await captured(opened, tmp_path / "folder")
    await opened.close()
    await other.stop()
    assert (report.objects["Pod"], len(loaded.view.pods)) == (1_201, 1_201)


@pytest.mark.parametrize("times", [pytest.param(1, id="once"), pytest.param(2, id="twice")])
async def test_a_list_that_expires_midway_is_begun_anew(
    server: ApiServer, live: Connection, tmp_path: Path, times: int
) -> None:
    server.fail("/api/v1/pods", 410, times)
    report, loaded = await captured(live, tmp_path / "folder")
    assert (report.silent, len(loaded.view.pods)) == ({}, 3)


async def test_a_kind_that_nobody_answers_for_is_left_out_and_told(
    server: ApiServer, live: Connection, tmp_path: Path
) -> None:
    server.fail("/apis/apps/v1/replicasets", 503, times=9)
    report, loaded = await captured(live, tmp_path / "folder")
    assert list(report.silent) == ["ReplicaSet"]
    assert report.silent["ReplicaSet"].startswith("503")
    assert not loaded.view.knows("replicasets")
    assert loaded.view.knows("pods")


async def test_a_kind_that_the_server_does_not_serve_is_complete_with_nothing(live: Connection, tmp_path: Path) -> None:
    report, _ = await captured(live, tmp_path / "folder")
    assert "ClusterQueue" in report.absent
    assert "- ClusterQueue\n" in (tmp_path / "folder/case.yaml").read_text()


async def test_a_forbidden_kind_is_left_out_and_told(tmp_path: Path) -> None:
    def allow(user: User, verb: str, group: str, resource: str, namespace: str) -> bool:
        del user, verb, group, namespace
        return resource not in ("pods", "events")

    store = Store(clock=lambda: NOW)
    load(store, cluster())
    api = ApiServer(store, allow=allow)
    await api.start()
    opened = connection.plain(api.url)
    report, loaded = await captured(opened, tmp_path / "folder")
    await opened.close()
    await api.stop()
    assert list(report.forbidden) == ["Pod", "Event"]
    assert 'cannot list resource "pods"' in report.forbidden["Pod"]
    assert loaded.view.source("pods").reading is Reading.FORBIDDEN
    assert len(loaded.view.nodes) == 2


async def test_a_server_that_is_gone_leaves_nothing_behind(server: ApiServer, live: Connection, tmp_path: Path) -> None:
    await server.pause()
    with pytest.raises(ClusterError, match="Cannot reach"):
        await captured(live, tmp_path / "folder")
    assert names(tmp_path) == []


async def test_what_is_no_cluster_is_refused(server: ApiServer, live: Connection, tmp_path: Path) -> None:
    server.fail("/api/v1/namespaces", 404, times=9)
    with pytest.raises(ClusterError, match="does not serve the Kubernetes core API"):
        await captured(live, tmp_path / "folder")
    assert names(tmp_path) == []


async def test_a_folder_that_is_taken_is_refused_before_anything_is_asked(
    server: ApiServer, live: Connection, tmp_path: Path
) -> None:
    await server.pause()
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is not an empty folder"):
        await captured(live, tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


async def test_names_are_replaced_and_nothing_else_changes(live: Connection, tmp_path: Path) -> None:
    seen = await read_once("live", live, now=lambda: NOW)
    _, loaded = await captured(live, tmp_path / "folder", rename=True)
    view = loaded.view
    assert set(view.nodes) == {"node-1", "node-2"}
    assert set(view.pods) == {"ns-1/sts-1-0", "ns-1/sts-1-1", "ns-1/deploy-1-7f9c6d5b48-x2x9z"}
    renamed = {"gpu-rack7-a": "node-1", "gpu-rack7-b.acme.example.com": "node-2"}
    for old, new in renamed.items():
        assert view.requested_on(new) == seen.requested_on(old)
        assert view.nodes[new].allocatable == seen.nodes[old].allocatable
        assert view.nodes[new].labels["nvidia.com/gpu.product"] == "NVIDIA-H200"
    waiting = view.pods["ns-1/sts-1-1"]
    assert waiting.owner is not None
    assert (waiting.owner.name, waiting.owner.uid) == ("sts-1", view.pods["ns-1/sts-1-0"].owner.uid)  # type: ignore[union-attr]
    assert waiting.conditions[0].message.startswith("0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s)")


LEAKS = ("acme", "rack7", "chat-glm", "rerank", "search-prod", "192.168", "10.9.3", "8d1f0c2a", "8f8f8f", "hf-login")


async def test_no_old_name_is_left(live: Connection, tmp_path: Path) -> None:
    await captured(live, tmp_path / "folder", rename=True)
    written = (tmp_path / "folder/objects.yaml").read_text() + (tmp_path / "folder/case.yaml").read_text()
    assert [leak for leak in LEAKS if leak in written] == []


def test_the_message_of_an_event_speaks_of_the_new_names() -> None:
    items = [item for kind in cluster().values() for item in kind]
    event = Renamer(plan(items)).item(items[-1])
    assert event["metadata"]["name"] == "sts-1-1.17c2f3a4b5c6d7e8"
    assert event["message"] == "pod ns-1/sts-1-1 does not fit on node-1 (10.0.0.1), see host-1.example"
