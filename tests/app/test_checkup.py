"""What the look at an installation finds: each part well, wrong with what to do, or not told."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.app.checkup import Found, examine
from bot.local.cluster.api import ApiServer
from bot.local.cluster.api.access import User
from bot.local.cluster.store import Store
from bot.local.workspace import Workspace
from config.alerts import AlertSettings
from config.settings import ClusterSettings, Settings, SlackSettings, StoreSettings
from tests.slack.conftest import SETUP

TOKENS = {"SLACK_BOT_TOKEN": "xoxb-local", "SLACK_APP_TOKEN": "xapp-local"}
NOBODY = {"SLACK_BOT_TOKEN": "", "SLACK_APP_TOKEN": ""}


def allow(user: User, verb: str, group: str, resource: str, namespace: str) -> bool:
    del user, verb, group, namespace
    return resource not in ("pods", "nodes")


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    made = Workspace(SETUP)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture(params=[True, False], ids=["all rights", "rights missing"])
async def kubeconfig(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[str, bool]]:
    api = ApiServer(Store(clock=lambda: datetime.now(UTC)), allow=None if request.param else allow)
    await api.start()
    path = tmp_path / "kubeconfig"
    api.write_kubeconfig(path)
    yield str(path), request.param
    await api.stop()


async def looked(settings: Settings, tokens: dict[str, str]) -> list[Found]:
    async with asyncio.timeout(30):
        return [one async for one in examine(settings, tokens)]


def of(found: list[Found], part: str) -> list[Found]:
    return [one for one in found if one.part == part]


def settings(folder: Path, *, url: str = "", kubeconfig: str = "", channel: str = "C0OPS", store: str = "") -> Settings:
    alerts = AlertSettings.model_validate({"routes": [{"channel": channel}]})
    return Settings(
        clusters=(ClusterSettings(name="a", kubeconfig=kubeconfig or str(folder / "nothing")),),
        slack=SlackSettings(base_url=url) if url else SlackSettings(),
        store=StoreSettings(url=store or f"sqlite+aiosqlite:///{folder}/h.db"),
        alerts=alerts,
    )


async def test_where_all_is_well_all_is_well(
    workspace: Workspace, kubeconfig: tuple[str, bool], tmp_path: Path
) -> None:
    path, whole = kubeconfig
    found = await looked(settings(tmp_path, url=workspace.api_url, kubeconfig=path), TOKENS)
    assert [one.ok for one in of(found, "data")] == [True, True, True]
    assert [one.ok for one in of(found, "database")] == [True]
    assert all(one.ok for one in of(found, "Slack")), of(found, "Slack")
    assert [one.ok for one in of(found, "alerts")] == [True]
    rights = of(found, "cluster a")[0]
    assert rights.ok is whole
    if not whole:
        assert "may not list nodes and pods" in rights.says
        assert rights.fix == "kubectl apply -k config/kubernetes"


async def test_a_channel_that_the_bot_is_not_in_is_named(workspace: Workspace, tmp_path: Path) -> None:
    found = await looked(settings(tmp_path, url=workspace.api_url, channel="C0NOWHERE"), TOKENS)
    [wrong] = of(found, "alerts")
    assert wrong.ok is False
    assert "the bot is not in channel C0NOWHERE, or there is none: invite it there" in wrong.says


async def test_without_tokens_slack_was_not_asked_and_routes_are_looked_at_all_the_same(tmp_path: Path) -> None:
    found = await looked(settings(tmp_path, channel="gpu-ops"), NOBODY)
    assert [one.ok for one in of(found, "Slack")] == [None]
    assert "is no channel's id" in of(found, "alerts")[0].says


async def test_a_token_that_slack_refuses(workspace: Workspace, tmp_path: Path) -> None:
    found = await looked(settings(tmp_path, url=workspace.api_url), {**TOKENS, "SLACK_BOT_TOKEN": "xoxb-wrong"})
    assert [one.ok for one in of(found, "Slack")] == [False]
    assert "SLACK_BOT_TOKEN" in of(found, "Slack")[0].says


async def test_a_cluster_and_a_database_out_of_reach_hide_nothing_else(tmp_path: Path) -> None:
    found = await looked(settings(tmp_path, store="sqlite+aiosqlite:////proc/nowhere/h.db"), NOBODY)
    assert [one.ok for one in of(found, "cluster a")] == [False]
    assert [one.ok for one in of(found, "database")] == [False]
    assert of(found, "Slack")
