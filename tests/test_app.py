"""The composed bot: several clusters side by side, one of which may be out of reach, wrong tokens at the start."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.app import App, run_until
from bot.domain.errors import ConfigError
from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import RESOURCES, Store
from bot.local.workspace import Workspace
from bot.logs import set_up
from config.settings import ClusterSettings, Settings, SlackSettings, StoreSettings
from tests.slack.conftest import SETUP


@pytest.fixture(autouse=True)
def quiet() -> None:
    set_up("error", json_lines=True)


def node(name: str, product: str) -> dict[str, Any]:
    room = {"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": "8"}
    return {
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": product}},
        "spec": {},
        "status": {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]},
    }


@asynccontextmanager
async def a_server(folder: Path, product: str) -> AsyncIterator[tuple[ApiServer, Store, str]]:
    """An API server with one node, its store, and the path of its kubeconfig."""
    store = Store(clock=lambda: datetime.now(UTC))
    store.create(RESOURCES["", "nodes"], "", node(f"node-{product.lower()}", product))
    server = ApiServer(store)
    await server.start()
    path = folder / f"kubeconfig-{product}"
    server.write_kubeconfig(path)
    yield server, store, str(path)
    await server.stop()


def kept_in(folder: Path) -> StoreSettings:
    """A store of the test's own: never the one of the person who runs it."""
    return StoreSettings(url=f"sqlite+aiosqlite:///{folder}/history.db")


def unreachable(folder: Path) -> str:
    path = folder / "unreachable"
    config = {
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}],
        "users": [{"name": "u", "user": {"token": "hush"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **config}))
    return str(path)


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    workspace = Workspace(SETUP)
    await workspace.start()
    yield workspace
    await workspace.stop()


async def asked(workspace: Workspace, typed: str) -> str:
    before = workspace.messages("C0OPS", "U0ANA")
    outcome = await workspace.slash("U0ANA", "C0OPS", typed)
    assert outcome.error is None
    return (await workspace.next_message("C0OPS", "U0ANA", after=before[-1].changed if before else "")).text


async def test_clusters_stand_side_by_side_and_one_out_of_reach_says_so(workspace: Workspace, tmp_path: Path) -> None:
    async with a_server(tmp_path, "NVIDIA-H200") as (_, _, first), a_server(tmp_path, "NVIDIA-A10") as (_, _, second):
        settings = Settings(
            clusters=(
                ClusterSettings(name="prod-a", kubeconfig=first),
                ClusterSettings(name="prod-b", kubeconfig=second),
                ClusterSettings(name="far", kubeconfig=unreachable(tmp_path)),
            ),
            slack=SlackSettings(base_url=workspace.api_url, default_cluster="prod-b"),
            store=kept_in(tmp_path),
        )
        app = App(settings, "xoxb-local", "xapp-local")
        await app.start()
        await workspace.connected(5)
        while not all(app.clusters[name].view.knows("nodes") for name in ("prod-a", "prod-b")):
            await app.changed()
        assert (await asked(workspace, "/gpu status")).startswith("A10: 8 of 8 free")
        assert (await asked(workspace, "/gpu status @prod-a")).startswith("H200: 8 of 8 free")
        far = await asked(workspace, "/gpu status @far")
        assert far.startswith("How many GPUs there are cannot be told: the nodes could not be read")
        assert "hush" not in far
        assert "Known here: prod-a, prod-b, far" in await asked(workspace, "/gpu status @nowhere")
        await app.stop()


async def test_a_change_in_the_cluster_is_in_the_next_answer(workspace: Workspace, tmp_path: Path) -> None:
    async with a_server(tmp_path, "NVIDIA-H200") as (_, store, kubeconfig):
        settings = Settings(
            clusters=(ClusterSettings(name="prod-a", kubeconfig=kubeconfig),),
            slack=SlackSettings(base_url=workspace.api_url),
            store=kept_in(tmp_path),
        )
        app = App(settings, "xoxb-local", "xapp-local")
        await app.start()
        await app.synced(10)
        await workspace.connected(5)
        store.create(RESOURCES["", "nodes"], "", node("another", "NVIDIA-H200"))
        while "another" not in app.clusters["prod-a"].view.nodes:
            await app.changed()
        assert (await asked(workspace, "/gpu status")).startswith("H200: 16 of 16 free")
        await app.stop()


async def test_a_refused_token_stops_the_start_and_leaves_nothing_running(workspace: Workspace, tmp_path: Path) -> None:
    async with a_server(tmp_path, "NVIDIA-H200") as (server, _, kubeconfig):
        settings = Settings(
            clusters=(ClusterSettings(name="prod-a", kubeconfig=kubeconfig),),
            slack=SlackSettings(base_url=workspace.api_url),
            store=kept_in(tmp_path),
        )
        with pytest.raises(ConfigError, match="Slack refuses SLACK_BOT_TOKEN"):
            await App(settings, "xoxb-wrong", "xapp-local").start()
        async with asyncio.timeout(5):  # the server notices when it next looks at its connections
            while server.open_watches:  # noqa: ASYNC110  # nothing tells
                await asyncio.sleep(0.01)
        assert {task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("refresh-")} == set()


async def test_it_runs_until_it_is_told_to_stop(workspace: Workspace, tmp_path: Path) -> None:
    async with a_server(tmp_path, "NVIDIA-H200") as (_, _, kubeconfig):
        settings = Settings(
            clusters=(ClusterSettings(name="prod-a", kubeconfig=kubeconfig),),
            slack=SlackSettings(base_url=workspace.api_url),
            store=kept_in(tmp_path),
        )
        stop = asyncio.Event()
        running = asyncio.create_task(run_until(App(settings, "xoxb-local", "xapp-local"), stop))
        await workspace.connected(10)
        stop.set()
        assert await asyncio.wait_for(running, 10) is True
