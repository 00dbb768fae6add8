"""The real Bolt against the workspace: commands, messages, clicks, and what people then see."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.local.workspace import Workspace, WorkspaceError
from tests.local.workspace.conftest import BUTTONS, Connect, once


async def test_a_command_is_acked_and_answered_to_its_user_only(workspace: Workspace, app: AsyncApp, connect: Connect):
    @app.command("/gpu")
    async def gpu(ack: Any, respond: Any, command: Any) -> None:
        await ack()
        await respond(text=f"{command['text']} for {command['user_name']} in {command['channel_name']}")

    await connect(app)
    outcome = await workspace.slash("ana", "ops", "/gpu status --by team")
    message = await workspace.next_message("ops", "ana")
    assert outcome.error is None
    assert outcome.acked_after_seconds < 1
    assert message.text == "status --by team for ana in ops"
    assert message.ephemeral_to == "U1"
    assert workspace.messages("ops", "ben") == []


async def test_an_acknowledgement_may_carry_the_answer(workspace: Workspace, app: AsyncApp, connect: Connect):
    @app.command("/gpu")
    async def gpu(ack: Any) -> None:
        await ack(text="for all", response_type="in_channel")

    await connect(app)
    outcome = await workspace.slash("ana", "ops", "/gpu")
    assert outcome.response == {"text": "for all", "response_type": "in_channel"}
    assert [message.text for message in workspace.messages("ops", "ben")] == ["for all"]


async def test_say_posts_for_everybody_and_its_echo_is_ignored_by_bolt(
    workspace: Workspace, app: AsyncApp, connect: Connect
):
    heard: list[str] = []

    @app.event("message")
    async def message(event: Any, say: Any) -> None:
        heard.append(event["text"])
        await say(text="pong", thread_ts=event["ts"])

    await connect(app)
    ts = await workspace.say("ana", "ops", "ping")
    answer = await workspace.next_message("ops", "ben", after=ts)
    assert (answer.text, answer.thread_ts) == ("pong", ts)
    assert [each.text for each in workspace.messages("ops", "ben", thread_ts=ts)] == ["ping", "pong"]
    assert [each.text for each in workspace.messages("ops", "ben")] == ["ping"]
    workspace.backend.sockets.ack_timeout_seconds = 0.2
    await workspace.slash("ana", "ops", "/gpu")
    assert heard == ["ping"]


async def test_a_mention_is_heard_as_app_mention_and_a_direct_message_as_im(
    workspace: Workspace, app: AsyncApp, connect: Connect
):
    heard: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    @app.event("app_mention")
    async def mention(event: Any) -> None:
        heard.put_nowait(("mention", event["text"]))

    @app.event("message")
    async def message(event: Any) -> None:
        heard.put_nowait((event["channel_type"], event["text"]))

    await connect(app)
    await workspace.say("ana", "ops", f"<@{workspace.bot_user_id}> help")
    assert {await once(heard), await once(heard)} == {
        ("mention", f"<@{workspace.bot_user_id}> help"),
        ("channel", f"<@{workspace.bot_user_id}> help"),
    }
    await workspace.say("ana", workspace.open_dm("ana"), "hello")
    assert await once(heard) == ("im", "hello")


async def test_a_channel_without_the_bot_is_silent_and_tells_who_mentioned_it(workspace: Workspace):
    await workspace.say("ana", "random", f"<@{workspace.bot_user_id}> help")
    notice = workspace.messages("random", "ana")[-1]
    assert "is not in this channel" in notice.text
    assert notice.ephemeral_to == "U1"
    assert [record.kind for record in workspace.journal] == []


async def test_a_click_on_a_message_reaches_the_app_which_replaces_the_message(
    workspace: Workspace, app: AsyncApp, connect: Connect, client: AsyncWebClient
):
    bodies: list[Any] = []

    @app.action("go")
    async def go(ack: Any, body: Any, respond: Any) -> None:
        await ack()
        bodies.append(body)
        await respond(text="done by ana", replace_original=True)

    await connect(app)
    posted = await client.chat_postMessage(channel="C1", text="ready?", blocks=[BUTTONS])
    outcome = await workspace.click("ana", posted["ts"], "go")
    message = await workspace.next_message("ops", "ana", after=posted["ts"])
    assert outcome.error is None
    assert (message.ts, message.text, message.blocks) == (posted["ts"], "done by ana", [])
    assert bodies[0]["actions"][0]["value"] == "gpu-7"
    assert bodies[0]["message"]["text"] == "ready?"
    assert bodies[0]["container"]["is_ephemeral"] is False


async def test_an_ephemeral_message_is_shared_through_its_response_url(
    workspace: Workspace, app: AsyncApp, connect: Connect
):
    bodies: list[Any] = []

    @app.command("/gpu")
    async def gpu(ack: Any, respond: Any) -> None:
        await ack()
        await respond(text="11 free", blocks=[BUTTONS])

    @app.action("go")
    async def share(ack: Any, body: Any, respond: Any) -> None:
        await ack()
        bodies.append(body)
        await respond(text="11 free, says ana", response_type="in_channel")
        await respond(delete_original=True)

    await connect(app)
    await workspace.slash("ana", "ops", "/gpu")
    private = await workspace.next_message("ops", "ana")
    await workspace.click("ana", private.ts, "go")
    shared = await workspace.next_message("ops", "ben")
    assert shared.text == "11 free, says ana"
    assert bodies[0]["container"]["is_ephemeral"] is True
    assert "message" not in bodies[0]
    with pytest.raises(WorkspaceError, match="message_not_found"):
        await workspace.click("ben", private.ts, "go")
