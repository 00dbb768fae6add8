"""What the Web API refuses and how it says so, asked with the real client."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.local.workspace import Workspace
from tests.local.workspace.conftest import SETUP, Clock


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


async def refusal(call: Any) -> Any:
    with pytest.raises(SlackApiError) as caught:
        await call
    return caught.value.response


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        pytest.param("chat.postMessage", {"channel": "C2", "text": "x"}, "not_in_channel", id="public, not a member"),
        pytest.param("chat.postMessage", {"channel": "C3", "text": "x"}, "channel_not_found", id="private, not a member"),
        pytest.param("chat.postMessage", {"channel": "C9", "text": "x"}, "channel_not_found", id="no such channel"),
        pytest.param("chat.postMessage", {"channel": "C4", "text": "x"}, "is_archived", id="an archived channel"),
        pytest.param("usergroups.users.list", {"usergroup": "S9"}, "no_such_subteam", id="no such user group"),
        pytest.param("chat.postMessage", {"channel": "C1"}, "no_text", id="neither text nor blocks"),
        pytest.param("chat.postEphemeral", {"channel": "C1", "user": "U3", "text": "x"}, "user_not_in_channel",
                     id="ephemeral for somebody who is not there"),
        pytest.param("chat.update", {"channel": "C1", "ts": "1.1", "text": "x"}, "message_not_found", id="no message"),
        pytest.param("users.lookupByEmail", {"email": "nobody@example.test"}, "users_not_found", id="unknown address"),
        pytest.param("views.open", {"trigger_id": "x", "view": {"type": "modal"}}, "invalid_arguments", id="no blocks"),
        pytest.param("files.upload", {}, "unknown_method", id="a method that is not here"),
        pytest.param("conversations.history", {"channel": "C2"}, "not_in_channel", id="history needs membership"),
    ],
)  # fmt: skip
async def test_refusals(client: AsyncWebClient, method: str, arguments: dict[str, Any], error: str):
    assert (await refusal(client.api_call(method, json=arguments)))["error"] == error


@pytest.mark.parametrize(
    ("token", "method", "error"),
    [
        pytest.param("xoxb-other", "auth.test", "invalid_auth", id="a foreign bot token"),
        pytest.param("xapp-other", "apps.connections.open", "invalid_auth", id="a foreign app token"),
        pytest.param(
            SETUP.bot_token, "apps.connections.open", "not_allowed_token_type", id="the bot token for a socket"
        ),
        pytest.param(SETUP.app_token, "chat.postMessage", "not_allowed_token_type", id="the app token for a message"),
    ],
)
async def test_tokens_are_checked(workspace: Workspace, token: str, method: str, error: str):
    client = AsyncWebClient(token=token, base_url=workspace.api_url)
    assert (await refusal(client.api_call(method)))["error"] == error


async def test_invalid_blocks_name_their_place(client: AsyncWebClient):
    blocks = [section("fine"), section("x" * 3001)]
    answer = await refusal(client.chat_postMessage(channel="C1", text="x", blocks=blocks))
    assert answer["error"] == "invalid_blocks"
    assert answer["response_metadata"]["messages"] == [
        "[ERROR] must be less than 3001 characters [json-pointer:/blocks/1/text/text]"
    ]


async def test_blocks_have_a_total_size(client: AsyncWebClient):
    answer = await refusal(client.chat_postMessage(channel="C1", text="x", blocks=[section("x" * 2900)] * 5))
    assert answer["error"] == "msg_blocks_too_long"


async def test_arguments_travel_as_form_json_or_query(workspace: Workspace):
    headers = {"Authorization": f"Bearer {SETUP.bot_token}"}
    fields = {"channel": "C1", "text": "x", "blocks": '[{"type":"divider"}]', "unheard_of": "1"}
    url = f"{workspace.api_url}chat.postMessage"
    async with aiohttp.ClientSession(headers=headers) as session:
        for travel in ({"data": fields}, {"json": fields}, {"params": fields}):
            async with session.post(url, **travel) as answer:
                assert (await answer.json())["ok"] is True
    assert [message.blocks for message in workspace.messages("ops", "ana")] == [
        [{"type": "divider", "block_id": "b0"}]
    ] * 3


async def test_update_without_blocks_removes_them_and_marks_the_edit(workspace: Workspace, client: AsyncWebClient):
    posted = await client.chat_postMessage(channel="C1", text="50 %", blocks=[section("50 %")])
    await client.chat_update(channel="C1", ts=posted["ts"], text="60 %", blocks=[section("60 %")])
    [message] = workspace.messages("ops", "ana")
    assert (message.text, message.edited, len(message.blocks)) == ("60 %", False, 1)
    await client.chat_update(channel="C1", ts=posted["ts"], text="done")
    [message] = workspace.messages("ops", "ana")
    assert (message.text, message.edited, message.blocks) == ("done", True, [])


async def test_an_ephemeral_message_is_in_no_history_and_cannot_be_updated(
    workspace: Workspace, client: AsyncWebClient
):
    posted = await client.chat_postEphemeral(channel="C1", user="U1", text="for you")
    assert [message.text for message in workspace.messages("ops", "ana")] == ["for you"]
    assert workspace.messages("ops", "ben") == []
    assert (await client.conversations_history(channel="C1"))["messages"] == []
    answer = await refusal(client.chat_update(channel="C1", ts=posted["message_ts"], text="x"))
    assert answer["error"] == "message_not_found"


async def test_threads_histories_and_metadata(client: AsyncWebClient):
    note = {"event_type": "incident", "event_payload": {"id": 7}}
    root = await client.chat_postMessage(channel="C1", text="root", metadata=note)
    reply = await client.chat_postMessage(channel="C1", text="reply", thread_ts=root["ts"])
    await client.chat_postMessage(channel="C1", text="nested", thread_ts=reply["ts"])
    [listed] = (await client.conversations_history(channel="C1"))["messages"]
    assert (listed["reply_count"], "metadata" in listed) == (2, False)
    [listed] = (await client.conversations_history(channel="C1", include_all_metadata=True))["messages"]
    assert listed["metadata"] == note
    thread = (await client.conversations_replies(channel="C1", ts=root["ts"]))["messages"]
    assert [message["text"] for message in thread] == ["root", "reply", "nested"]


async def test_who_and_what_there_is(client: AsyncWebClient):
    rooms = (await client.conversations_list(types="public_channel,private_channel", exclude_archived=True))["channels"]
    assert [(room["name"], room["is_member"]) for room in rooms] == [("ops", True), ("random", False)]
    assert (await client.conversations_members(channel="C1"))["members"] == ["U0GPUBOT", "U1", "U2"]
    assert (await client.users_lookupByEmail(email="ben@example.test"))["user"]["id"] == "U2"
    assert (await client.users_info(user="U1"))["user"]["is_admin"] is True
    dm = (await client.conversations_open(users="U2"))["channel"]["id"]
    assert (await client.chat_postMessage(channel="U2", text="hello"))["channel"] == dm


async def test_reactions_permalinks_and_deletion(workspace: Workspace, client: AsyncWebClient):
    ts = (await client.chat_postMessage(channel="C1", text="x"))["ts"]
    await client.reactions_add(channel="C1", timestamp=ts, name="eyes")
    assert (await refusal(client.reactions_add(channel="C1", timestamp=ts, name="eyes")))["error"] == "already_reacted"
    link = (await client.chat_getPermalink(channel="C1", message_ts=ts))["permalink"]
    assert link == f"{workspace.page_url}archives/C1/p{ts.replace('.', '')}"
    await client.chat_delete(channel="C1", ts=ts)
    assert workspace.messages("ops", "ana") == []


async def test_messages_of_people_are_not_the_bots_to_change(workspace: Workspace, client: AsyncWebClient):
    ts = await workspace.say("ana", "ops", "mine")
    assert (await refusal(client.chat_update(channel="C1", ts=ts, text="x")))["error"] == "cant_update_message"
    assert (await refusal(client.chat_delete(channel="C1", ts=ts)))["error"] == "cant_delete_message"


async def test_views_have_a_stack_of_three_and_a_hash(workspace: Workspace, client: AsyncWebClient):
    def view(title: str) -> dict[str, Any]:
        return {"type": "modal", "title": {"type": "plain_text", "text": title}, "blocks": [section("x")]}

    def trigger() -> str:
        return workspace.backend.grants.trigger("U1")

    first = (await client.views_open(trigger_id=trigger(), view=view("one")))["view"]
    await client.views_push(trigger_id=trigger(), view=view("two"))
    await client.views_push(trigger_id=trigger(), view=view("three"))
    answer = await refusal(client.views_push(trigger_id=trigger(), view=view("four")))
    assert answer["error"] == "push_limit_reached"
    await client.views_update(view_id=first["id"], view=view("uno"), hash=first["hash"])
    answer = await refusal(client.views_update(view_id=first["id"], view=view("eins"), hash=first["hash"]))
    assert answer["error"] == "hash_conflict"
    top = workspace.view("ana")
    assert top is not None
    assert top["title"]["text"] == "three"


async def test_a_home_tab_is_one_persons(workspace: Workspace, client: AsyncWebClient):
    await client.views_publish(user_id="U1", view={"type": "home", "blocks": [section("yours")]})
    home = workspace.home("ana")
    assert home is not None
    assert home["blocks"][0]["text"]["text"] == "yours"
    assert workspace.home("ben") is None


async def test_one_message_a_second_when_rates_are_limited(clock: Clock):
    workspace = Workspace(SETUP, clock=clock, rate_limits=True)
    await workspace.start()
    try:
        client = AsyncWebClient(token=SETUP.bot_token, base_url=workspace.api_url)
        await client.chat_postMessage(channel="C1", text="first")
        answer = await refusal(client.chat_postMessage(channel="C1", text="too soon"))
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
        await client.chat_postMessage(channel="U1", text="another channel")
        clock.passes(1)
        await client.chat_postMessage(channel="C1", text="later")
    finally:
        await workspace.stop()


async def test_faults_meet_the_next_calls_only(workspace: Workspace, client: AsyncWebClient):
    workspace.faults.fail("chat.postMessage", "internal_error", times=2)
    for _ in range(2):
        assert (await refusal(client.chat_postMessage(channel="C1", text="x")))["error"] == "internal_error"
    workspace.faults.status("chat.postMessage", 429, retry_after=0)
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=1))
    await client.chat_postMessage(channel="C1", text="after a pause")
    workspace.faults.status("chat.postMessage", 503)
    assert (await refusal(client.chat_postMessage(channel="C1", text="x"))).status_code == 503


async def test_a_port_that_is_taken_is_replaced(workspace: Workspace):
    second = Workspace(SETUP)
    await second.start(workspace.port)
    assert second.port_taken
    assert second.port != workspace.port
    assert second.page_url == f"http://127.0.0.1:{second.port}/"
    await second.stop()


async def test_user_groups_and_who_is_in_them(client: AsyncWebClient):
    groups = (await client.usergroups_list(include_users=True, include_count=True))["usergroups"]
    assert [(one["id"], one["handle"], one["users"], one["user_count"]) for one in groups] == [
        ("S1", "oncall", ["U1", "U2"], 2),
        ("S2", "nobody", [], 0),
    ]
    assert "users" not in (await client.usergroups_list())["usergroups"][0]
    assert (await client.usergroups_users_list(usergroup="S1"))["users"] == ["U1", "U2"]
