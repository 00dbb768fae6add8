"""A token that is missing, mistaken or refused: one sentence that says where to get the right one."""

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp

from bot.domain.errors import ChatError, ConfigError
from bot.local.workspace import Workspace
from bot.slack.connection import Socket, check, token, web_client
from tests.slack.conftest import SETUP


@pytest.mark.parametrize(
    ("prefix", "variable", "value", "says"),
    [
        ("xoxb-", "SLACK_BOT_TOKEN", None, "SLACK_BOT_TOKEN is not set: it holds the Bot User OAuth Token"),
        ("xoxb-", "SLACK_BOT_TOKEN", "xapp-1", "SLACK_BOT_TOKEN does not begin with xoxb-"),
        ("xapp-", "SLACK_APP_TOKEN", " ", "SLACK_APP_TOKEN is not set"),
        ("xapp-", "SLACK_APP_TOKEN", "xoxb-1", "SLACK_APP_TOKEN does not begin with xapp-"),
    ],
)
def test_tokens_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, prefix: str, variable: str, value: str | None, says: str
) -> None:
    monkeypatch.delenv(variable, raising=False)
    if value is not None:
        monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=says):
        token(prefix)


async def test_a_refused_bot_token() -> None:
    workspace = Workspace(SETUP)
    await workspace.start()
    async with aiohttp.ClientSession() as session:
        with pytest.raises(ConfigError, match=r"Slack refuses SLACK_BOT_TOKEN \(invalid_auth\)"):
            await check(web_client("xoxb-wrong", workspace.api_url, session))
    await workspace.stop()


async def test_a_refused_app_token() -> None:
    workspace = Workspace(SETUP)
    await workspace.start()
    async with aiohttp.ClientSession() as session:
        socket = Socket(AsyncApp(client=web_client("xoxb-local", workspace.api_url, session)), "xapp-wrong", 3)
        with pytest.raises(ConfigError, match=r"Slack refuses SLACK_APP_TOKEN \(invalid_auth\)"):
            await socket.start()
        await socket.stop()
    await workspace.stop()


async def test_a_slack_that_cannot_be_reached() -> None:
    async with aiohttp.ClientSession() as session:
        with pytest.raises(ChatError, match=r"Slack cannot be reached at http://127\.0\.0\.1:9/api/"):
            await check(web_client("xoxb-local", "http://127.0.0.1:9/api/", session))
