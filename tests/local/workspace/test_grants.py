"""What an interaction entitles to, with the real Bolt and a clock: response URLs and triggers."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.local.workspace import Workspace
from tests.local.workspace.conftest import Clock, Connect, modal, once


async def response_url(workspace: Workspace, app: AsyncApp, connect: Connect) -> str:
    urls: list[str] = []

    @app.command("/gpu")
    async def gpu(ack: Any, command: Any) -> None:
        urls.append(command["response_url"])
        await ack()

    await connect(app)
    await workspace.slash("ana", "ops", "/gpu")
    return urls[0]


async def test_a_response_url_works_five_times(workspace: Workspace, app: AsyncApp, connect: Connect):
    url = await response_url(workspace, app, connect)
    async with aiohttp.ClientSession() as session:
        answers = []
        for number in range(6):
            async with session.post(url, json={"text": str(number)}) as answer:
                answers.append((answer.status, await answer.text()))
    assert [status for status, _ in answers] == [200] * 5 + [404]
    assert "used_url" in answers[-1][1]


async def test_a_response_url_ends_after_thirty_minutes(
    workspace: Workspace, app: AsyncApp, connect: Connect, clock: Clock
):
    url = await response_url(workspace, app, connect)
    async with aiohttp.ClientSession() as session:
        clock.passes(29 * 60)
        async with session.post(url, json={"text": "in time"}) as answer:
            assert answer.status == 200
        clock.passes(61)
        async with session.post(url, json={"text": "too late"}) as answer:
            assert (answer.status, (await answer.json())["error"]) == (404, "expired_url")


@pytest.mark.parametrize(
    ("seconds", "uses", "error"),
    [
        pytest.param(3.5, 1, "expired_trigger_id", id="a trigger is good for three seconds"),
        pytest.param(0.0, 2, "exchanged_trigger_id", id="a trigger is good for one view"),
    ],
)
async def test_triggers_end(
    workspace: Workspace, app: AsyncApp, connect: Connect, clock: Clock, seconds: float, uses: int, error: str
):
    answers: asyncio.Queue[str] = asyncio.Queue()

    @app.command("/gpu")
    async def gpu(ack: Any, body: Any, client: AsyncWebClient) -> None:
        await ack()
        clock.passes(seconds)
        for _ in range(uses):
            try:
                await client.views_open(trigger_id=body["trigger_id"], view=modal())
            except SlackApiError as refusal:
                answers.put_nowait(refusal.response["error"])

    await connect(app)
    await workspace.slash("ana", "ops", "/gpu")
    assert await once(answers) == error
