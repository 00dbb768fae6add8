"""Envelopes and connections with the real Bolt: no answer, no connection, redelivery, turns, reconnecting."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.local.workspace import Workspace
from tests.local.workspace.conftest import Connect, once


async def test_a_command_that_is_never_acked_fails_visibly(workspace: Workspace, app: AsyncApp, connect: Connect):
    @app.command("/gpu")
    async def gpu() -> None:
        await asyncio.sleep(0)

    await connect(app)
    workspace.backend.sockets.ack_timeout_seconds = 0.2
    outcome = await workspace.slash("ana", "ops", "/gpu drain gpu-7")
    notice = workspace.messages("ops", "ana")[-1]
    assert outcome.error == "operation_timeout"
    assert "operation_timeout" in notice.text
    assert notice.ephemeral_to == "U1"
    assert [record.kind for record in workspace.journal if record.direction == "out"].count("slash_commands") == 1


async def test_without_a_connection_a_command_fails_with_dispatch_failed(workspace: Workspace):
    outcome = await workspace.slash("ana", "ops", "/gpu")
    assert outcome.error == "dispatch_failed"
    assert "dispatch_failed" in workspace.messages("ops", "ana")[-1].text


@pytest.mark.parametrize(
    ("text", "thread", "error"),
    [
        pytest.param("/nope", False, "unknown_command", id="a command that the manifest does not declare"),
        pytest.param("/gpu status", True, "slash_command_in_thread", id="a command inside a thread"),
    ],
)
async def test_some_commands_never_reach_the_app(workspace: Workspace, text: str, thread: bool, error: str):
    root = await workspace.say("ana", "ops", "root")
    outcome = await workspace.slash("ana", "ops", text, thread_ts=root if thread else None)
    assert outcome.error == error
    assert workspace.messages("ops", "ana", thread_ts=root if thread else None)[-1].ephemeral_to == "U1"


async def test_an_event_that_is_not_acked_comes_again_with_attempt_and_reason(
    workspace: Workspace, app: AsyncApp, connect: Connect
):
    attempts: asyncio.Queue[tuple[Any, Any]] = asyncio.Queue()

    @app.middleware
    async def deaf_at_first(req: Any, next_: Any) -> None:
        number = req.headers.get("x-slack-retry-num", ["0"])[0]
        attempts.put_nowait((number, req.headers.get("x-slack-retry-reason", [""])[0]))
        if number != "0":
            await next_()
        else:
            await asyncio.sleep(0.5)

    @app.event("message")
    async def message(event: Any) -> None:
        assert event["text"] == "ping"

    await connect(app)
    workspace.backend.sockets.ack_timeout_seconds = 0.2
    await workspace.say("ana", "ops", "ping")
    assert await once(attempts) == ("0", "")
    assert await once(attempts) == ("1", "timeout")


async def test_two_connections_take_turns(workspace: Workspace, client: AsyncWebClient, connect: Connect):
    served: list[str] = []

    def named(name: str) -> AsyncApp:
        app = AsyncApp(client=client)

        @app.command("/gpu")
        async def gpu(ack: Any) -> None:
            served.append(name)
            await ack()

        return app

    await connect(named("left"))
    await connect(named("right"))
    for _ in range(4):
        await workspace.slash("ana", "ops", "/gpu")
    assert sorted(served) == ["left", "left", "right", "right"]
    assert served[0] != served[1]


async def test_a_disconnect_frame_makes_the_client_reconnect(workspace: Workspace, app: AsyncApp, connect: Connect):
    @app.command("/gpu")
    async def gpu(ack: Any) -> None:
        await ack()

    await connect(app)
    await workspace.faults.disconnect("refresh_requested")
    await workspace.connected(5)
    assert (await workspace.slash("ana", "ops", "/gpu")).error is None
    assert [record.kind for record in workspace.journal].count("hello") == 2


async def test_dropped_connections_are_noticed_at_once_and_renewed(
    workspace: Workspace, app: AsyncApp, connect: Connect
):
    @app.command("/gpu")
    async def gpu(ack: Any) -> None:
        await ack()

    handler = await connect(app)
    handler.client.ping_interval = 0.2
    await workspace.faults.drop_connections()
    assert (await workspace.slash("ana", "ops", "/gpu")).error == "dispatch_failed"
    await workspace.connected(10)
    assert (await workspace.slash("ana", "ops", "/gpu")).error is None


async def test_a_hundred_commands_at_once_do_not_queue_behind_a_slow_one(
    workspace: Workspace, app: AsyncApp, connect: Connect
):
    @app.command("/gpu")
    async def gpu(ack: Any) -> None:
        await asyncio.sleep(0.3)
        await ack()

    await connect(app)
    outcomes = await asyncio.gather(*(workspace.slash("ana", "ops", "/gpu") for _ in range(100)))
    assert {outcome.error for outcome in outcomes} == {None}
    assert max(outcome.acked_after_seconds for outcome in outcomes) < 2.5
