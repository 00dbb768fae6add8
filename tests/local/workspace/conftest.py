"""A small workspace, and the real Bolt connected to it over loopback."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.local.workspace import Channel, Setup, SlashCommand, User, UserGroup, Workspace

SETUP = Setup(
    team_name="Reef",
    users=(
        User("U1", "ana", "Ana", "ana@example.test", is_admin=True),
        User("U2", "ben", "Ben", "ben@example.test"),
        User("U3", "chi", "Chi", "chi@example.test"),
    ),
    channels=(
        Channel("C1", "ops", ("U1", "U2"), topic="Where GPUs are looked after"),
        Channel("C2", "random", ("U1", "U2", "U3")),
        Channel("C3", "secret", ("U1",), is_private=True),
        Channel("C4", "past", ("U1",), is_archived=True),
    ),
    commands=(SlashCommand("/gpu", "Everything about GPUs", "[status | why]", ("status", "status --by team", "help")),),
    bot_channels=("C1", "C4"),
    groups=(UserGroup("S1", "oncall", "On call", ("U1", "U2")), UserGroup("S2", "nobody", "Nobody")),
)


BUTTONS = {
    "type": "actions",
    "block_id": "row",
    "elements": [
        {"type": "button", "action_id": "go", "value": "gpu-7", "text": {"type": "plain_text", "text": "Go"}},
    ],
}


def modal(**more: Any) -> dict[str, Any]:
    field = {"type": "plain_text_input", "action_id": "text"}
    reason = {"type": "input", "block_id": "why", "label": {"type": "plain_text", "text": "Why"}, "element": field}
    words = {"title": {"type": "plain_text", "text": "Drain"}, "submit": {"type": "plain_text", "text": "Drain"}}
    return {"type": "modal", "callback_id": "drain", **words, "blocks": [reason], **more}


def once(queue: asyncio.Queue[Any]) -> Any:
    """What comes next."""
    return asyncio.wait_for(queue.get(), 5)


class Clock:
    """Time that stands still until it is told to pass."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """slack_sdk obeys proxy variables even on loopback."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    logging.getLogger("slack_bolt").setLevel(logging.CRITICAL)
    logging.getLogger("slack_sdk").setLevel(logging.CRITICAL)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def workspace(clock: Clock) -> AsyncIterator[Workspace]:
    workspace = Workspace(SETUP, clock=clock)
    await workspace.start()
    yield workspace
    await workspace.stop()


Connect = Callable[[AsyncApp], Awaitable[AsyncSocketModeHandler]]


@pytest.fixture
def client(workspace: Workspace) -> AsyncWebClient:
    return AsyncWebClient(token=SETUP.bot_token, base_url=workspace.api_url)


@pytest.fixture
def app(client: AsyncWebClient) -> AsyncApp:
    return AsyncApp(client=client)


@pytest.fixture
async def connect(workspace: Workspace) -> AsyncIterator[Connect]:
    """Connects an app; all are closed in the end."""
    handlers = []

    async def connected(app: AsyncApp) -> AsyncSocketModeHandler:
        handler = AsyncSocketModeHandler(app, SETUP.app_token, ping_interval=3)
        handlers.append(handler)
        await handler.connect_async()
        await workspace.connected(5)
        return handler

    yield connected
    for handler in handlers:
        await handler.close_async()
