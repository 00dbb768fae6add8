"""The real bot's edge on a Slack on this machine, over the same wires as in production."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp

from bot.acting.actor import Doing
from bot.command import Cluster
from bot.dialogue import all_commands
from bot.domain.person import Access, Asker
from bot.local.workspace import Channel, Message, Setup, SlashCommand, User, Workspace
from bot.slack.connection import Socket, web_client
from bot.slack.desk import Desk
from bot.slack.listeners import register
from bot.slack.people import Caller
from bot.slack.redelivery import Redelivery
from bot.slack.shelf import Shelf
from tests.factories import NOW, a_cluster, a_node, a_pod

SETUP = Setup(
    team_name="test",
    users=(
        User("U0ANA", "ana", "Ana", "ana@example.com"),
        User("U0BEN", "ben", "Ben", "ben@example.com"),
    ),
    channels=(
        Channel("C0OPS", "gpu-ops", ("U0ANA", "U0BEN")),
        Channel("C0PRIV", "oncall", ("U0ANA",), is_private=True),
    ),
    commands=(SlashCommand("/gpu", "GPUs", "status"), SlashCommand("/why", "Why", "pending")),
    bot_channels=("C0OPS",),
)


@dataclass
class Bot:
    """The workspace with the bot in it, and the clusters that the bot reads."""

    workspace: Workspace
    clusters: dict[str, Cluster]
    desk: Desk
    socket: Socket

    async def slash(self, text: str, who: str = "U0ANA", where: str = "C0OPS") -> Message:
        before = self.workspace.messages(where, who)
        outcome = await self.workspace.slash(who, where, text)
        assert outcome.error is None, outcome.error
        return await self.workspace.next_message(where, who, after=before[-1].changed if before else "")


async def reader(caller: Caller) -> Asker:
    return Asker(caller.person, caller.team, caller.person, caller.channel, Access.READ)


def nothing_to_act_with(asker: Asker, cluster: Cluster) -> Doing:
    return Doing(asker, cluster, lambda: NOW)


def once(redelivery: Redelivery) -> Callable[[str], Awaitable[bool]]:
    async def first(key: str) -> bool:
        return redelivery.is_first(key)

    return first


@pytest.fixture
async def bot(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bot]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there: loopback must not go through it
    workspace = Workspace(SETUP)
    await workspace.start()
    clusters = {"prod-a": a_cluster(a_node(), a_pod(gpus=3)), "prod-b": a_cluster()}
    async with aiohttp.ClientSession() as session:
        app = AsyncApp(client=web_client("xoxb-local", workspace.api_url, session))
        desk = Desk(
            all_commands(), clusters, "prod-a", {"C0PRIV": "prod-b"}, lambda: NOW, Shelf(), reader, nothing_to_act_with
        )
        register(app, desk, once(Redelivery(asyncio.get_running_loop().time)), {"/gpu": "gpu", "/why": "gpu why"})
        socket = Socket(app, "xapp-local", 3)
        await socket.start()
        await workspace.connected(5)
        yield Bot(workspace, clusters, desk, socket)
        await socket.stop()
    await workspace.stop()
