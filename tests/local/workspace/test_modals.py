"""Modals with the real Bolt: fields and their errors, stacks, buttons inside, closing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.local.workspace import Workspace
from tests.local.workspace.conftest import BUTTONS, Connect, modal, once


async def test_a_modal_answers_with_field_errors_then_closes(workspace: Workspace, app: AsyncApp, connect: Connect):
    submitted: list[str] = []

    @app.command("/gpu")
    async def gpu(ack: Any, body: Any, client: AsyncWebClient) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=modal(private_metadata="gpu-7"))
        await ack()

    @app.view("drain")
    async def drain(ack: Any, view: Any) -> None:
        text = view["state"]["values"]["why"]["text"]["value"]
        if len(text) < 5:
            await ack(response_action="errors", errors={"why": "Say more"})
            return
        submitted.append(f"{view['private_metadata']}: {text}")
        await ack()

    await connect(app)
    await workspace.slash("ana", "ops", "/gpu")
    view = workspace.view("ana")
    assert view is not None
    empty = await workspace.submit("ana", view["id"], {})
    assert (empty.error, submitted) == ("required_fields", [])
    short = await workspace.submit("ana", view["id"], {"why": "XID"})
    assert short.response == {"response_action": "errors", "errors": {"why": "Say more"}}
    assert workspace.view("ana") is not None
    await workspace.submit("ana", view["id"], {"why": {"text": "XID 79 since noon"}})
    assert submitted == ["gpu-7: XID 79 since noon"]
    assert workspace.view("ana") is None


@pytest.mark.parametrize(
    ("answer", "titles"),
    [
        pytest.param({"response_action": "update", "view": modal(title={"type": "plain_text", "text": "Two"})}, ["Two"],
                     id="an update replaces the modal"),
        pytest.param({"response_action": "push", "view": modal(title={"type": "plain_text", "text": "Two"})},
                     ["Two", "Drain"], id="a push stacks another on top"),
        pytest.param({"response_action": "clear"}, [], id="clear closes all"),
        pytest.param({}, [], id="an empty acknowledgement closes the modal"),
    ],
)  # fmt: skip
async def test_what_a_submission_is_answered_with(
    workspace: Workspace, app: AsyncApp, connect: Connect, client: AsyncWebClient, answer: Any, titles: list[str]
):
    @app.view("drain")
    async def drain(ack: Any) -> None:
        await ack(**answer)

    await connect(app)
    opened = await client.views_open(trigger_id=workspace.backend.grants.trigger("U1"), view=modal())
    await workspace.submit("ana", opened["view"]["id"], {"why": "XID 79"})
    seen = []
    while (view := workspace.view("ana")) is not None:
        seen.append(view["title"]["text"])
        await workspace.close_view("ana", view["id"])
    assert seen == titles


async def test_errors_for_a_field_that_is_not_there_are_an_error_themselves(
    workspace: Workspace, app: AsyncApp, connect: Connect, client: AsyncWebClient
):
    @app.view("drain")
    async def drain(ack: Any) -> None:
        await ack(response_action="errors", errors={"nowhere": "x"})

    await connect(app)
    opened = await client.views_open(trigger_id=workspace.backend.grants.trigger("U1"), view=modal())
    outcome = await workspace.submit("ana", opened["view"]["id"], {"why": "XID 79"})
    assert outcome.error == "invalid_response_errors"


async def test_a_button_inside_a_modal_reaches_the_app_with_the_view(
    workspace: Workspace, app: AsyncApp, connect: Connect, client: AsyncWebClient
):
    bodies: list[Any] = []

    @app.action("go")
    async def go(ack: Any, body: Any, client: AsyncWebClient) -> None:
        bodies.append(body)
        fresh = modal(title={"type": "plain_text", "text": "Fresh"})
        await client.views_update(view_id=body["view"]["id"], hash=body["view"]["hash"], view=fresh)
        await ack()

    await connect(app)
    opened = await client.views_open(
        trigger_id=workspace.backend.grants.trigger("U1"), view=modal(blocks=[BUTTONS], private_metadata="gpu-7")
    )
    assert (await workspace.click("ana", opened["view"]["id"], "go")).error is None
    assert bodies[0]["container"] == {"type": "view", "view_id": opened["view"]["id"]}
    assert bodies[0]["view"]["private_metadata"] == "gpu-7"
    view = workspace.view("ana")
    assert view is not None
    assert view["title"]["text"] == "Fresh"


async def test_closing_a_modal_is_told_to_an_app_that_asked(
    workspace: Workspace, app: AsyncApp, connect: Connect, client: AsyncWebClient
):
    closed: asyncio.Queue[str] = asyncio.Queue()

    @app.view_closed("drain")
    async def gone(ack: Any, body: Any) -> None:
        await ack()
        closed.put_nowait(body["user"]["id"])

    await connect(app)
    opened = await client.views_open(
        trigger_id=workspace.backend.grants.trigger("U1"), view=modal(notify_on_close=True)
    )
    await workspace.close_view("ana", opened["view"]["id"])
    assert await once(closed) == "U1"
    assert workspace.view("ana") is None
