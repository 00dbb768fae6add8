"""The page without a browser: what it shows to whom, and what it refuses from other pages."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.local import workspace as package
from bot.local.workspace import Workspace

STATIC = Path(package.__file__).parent / "static"


@pytest.fixture
async def http(workspace: Workspace) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(workspace.page_url) as session:
        yield session


async def shown(http: aiohttp.ClientSession, query: str) -> str:
    async with http.get(f"/?{query}") as answer:
        assert answer.status == 200
        return await answer.text()


async def done(http: aiohttp.ClientSession, deed: str, body: Any) -> Any:
    async with http.post(f"/act/{deed}", json=body) as answer:
        assert answer.status == 200
        return await answer.json()


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Origin": "http://evil.test"}, id="another origin"),
        pytest.param({"Origin": "null"}, id="a page without an origin"),
        pytest.param({"Host": "evil.test"}, id="a name that was rebound to this machine"),
        pytest.param({"Sec-Fetch-Site": "cross-site"}, id="a browser that says so"),
        pytest.param({"Content-Type": "text/plain"}, id="a form of another page, which cannot send JSON"),
    ],
)
async def test_other_pages_cannot_act(workspace: Workspace, http: aiohttp.ClientSession, headers: dict[str, str]):
    body = json.dumps({"as": "ana", "channel": "C1", "text": "x"})
    async with http.post("/act/send", data=body, headers={"Content-Type": "application/json", **headers}) as answer:
        assert answer.status == 403
    assert workspace.messages("ops", "ana") == []


async def test_a_rebound_name_cannot_read_either(http: aiohttp.ClientSession):
    async with http.get("/?as=ana", headers={"Host": "evil.test"}) as answer:
        assert answer.status == 403


async def test_the_policy_allows_our_own_files_only(http: aiohttp.ClientSession):
    async with http.get("/?as=ana") as answer:
        policy, html = answer.headers["Content-Security-Policy"], await answer.text()
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", html)
    assert re.findall(r'(?:src|href)="(?!/|#)[^"]*"', html) == []


@pytest.mark.parametrize("path", sorted(path.name for path in STATIC.iterdir()))
async def test_static_files_are_served_and_name_no_other_host(http: aiohttp.ClientSession, path: str):
    async with http.get(f"/static/{path}") as answer:
        assert answer.status == 200
        text = await answer.text()
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []
    assert "eval(" not in text


async def test_a_person_sees_their_own_channels_and_ephemeral_messages(
    workspace: Workspace, http: aiohttp.ClientSession, client: AsyncWebClient
):
    await client.chat_postEphemeral(channel="C1", user="U1", text="just ana")
    ana, ben, chi = [await shown(http, f"as={name}&in=ops") for name in ("ana", "ben", "chi")]
    assert "just ana" in ana
    assert "Only visible to you" in ana
    assert "just ana" not in ben
    assert 'data-channel="C3"' in ana
    assert 'data-channel="C3"' not in ben
    assert "#random" in chi
    assert 'id="timeline"' in chi


async def test_typed_names_become_references_and_signs_are_escaped(workspace: Workspace, http: aiohttp.ClientSession):
    await done(http, "send", {"as": "ana", "channel": "C1", "text": "@ben look at #random & <b> @nobody a@ben.test"})
    assert workspace.messages("ops", "ben")[-1].text == (
        "<@U2> look at <#C2|random> &amp; &lt;b&gt; @nobody a@ben.test"
    )


async def test_invite_lets_the_bot_in(workspace: Workspace, http: aiohttp.ClientSession, client: AsyncWebClient):
    await done(http, "send", {"as": "ana", "channel": "C3", "text": "/invite @gpubot"})
    assert (await client.chat_postMessage(channel="C3", text="here"))["ok"]
    assert (await done(http, "send", {"as": "ana", "channel": "C3", "text": "/invite @nobody"}))[
        "error"
    ] == "user_not_found"


async def test_deeds_answer_with_an_error_word(http: aiohttp.ClientSession):
    assert (await done(http, "send", {"as": "ana", "channel": "C1", "text": "/gpu"}))["error"] == "dispatch_failed"
    pressed = {"as": "ana", "ts": "1.1", "action": "go", "block": "b"}
    assert (await done(http, "press", pressed))["error"] == "message_not_found"
    assert (await done(http, "submit", {"as": "ana", "view": "V9"}))["error"] == "not_found"


async def test_unread_counts_until_the_channel_is_shown(workspace: Workspace, http: aiohttp.ClientSession):
    await workspace.say("ben", "ops", "one")
    await workspace.say("ben", "ops", "two")
    assert '<span class="unread-count">2</span>' in await shown(http, "as=ana&in=random")
    await shown(http, "as=ana&in=ops")
    assert '<span class="unread-count">' not in await shown(http, "as=ana&in=random")


async def test_new_messages_stand_below_a_line(workspace: Workspace, http: aiohttp.ClientSession):
    await workspace.say("ben", "ops", "old")
    await shown(http, "as=ana&in=ops")
    await workspace.say("ben", "ops", "fresh")
    html = await shown(http, "as=ana&in=ops")
    assert html.index("old") < html.index("New messages") < html.index("fresh")


async def test_a_permalink_leads_to_the_message(workspace: Workspace, http: aiohttp.ClientSession):
    root = await workspace.say("ana", "ops", "root")
    reply = await workspace.say("ana", "ops", "reply", thread_ts=root)
    for ts, target in ((root, f"/?as=ana&in=ops#m-{root}"), (reply, f"/?as=ana&in=ops&thread={root}#t-{reply}")):
        async with http.get(f"/archives/C1/p{ts.replace('.', '')}?as=ana", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (302, target)


async def pieces(stream: aiohttp.ClientResponse) -> AsyncIterator[Any]:
    async for line in stream.content:
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


async def test_what_changes_is_pushed_to_those_who_may_see_it(
    workspace: Workspace, http: aiohttp.ClientSession, client: AsyncWebClient
):
    revision = workspace.backend.changes.revision
    async with http.get(f"/live?as=ben&in=ops&revision={revision}") as stream, asyncio.timeout(5):
        live = pieces(stream)
        assert (await anext(live))["kind"] == "ready"
        await client.chat_postEphemeral(channel="C1", user="U1", text="just ana")
        posted = await client.chat_postMessage(channel="C1", text="for all")
        piece = await anext(live)
        assert (piece["kind"], piece["ts"]) == ("message", posted["ts"])
        await workspace.say("ana", "random", "elsewhere")
        assert await anext(live) == {"kind": "unread", "channel": "C2", "count": 1}
        await client.chat_delete(channel="C1", ts=posted["ts"])
        assert await anext(live) == {"kind": "deleted", "ts": posted["ts"]}


async def test_a_page_that_missed_something_gets_the_whole_screen(workspace: Workspace, http: aiohttp.ClientSession):
    await workspace.say("ana", "ops", "missed")
    async with http.get("/live?as=ben&in=ops&revision=0") as stream, asyncio.timeout(5):
        piece = await anext(pieces(stream))
    assert piece["kind"] == "state"
    assert "missed" in piece["timeline"]


async def test_stopping_ends_open_pages(workspace: Workspace, http: aiohttp.ClientSession):
    async with http.get("/live?as=ben&in=ops") as stream, asyncio.timeout(3):
        await anext(pieces(stream))
        await workspace.stop()
        assert [piece async for piece in pieces(stream)] == []


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [pytest.param(0, id="light"), pytest.param(1, id="dark")])
@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        *[(ink, paper) for ink in ("text", "text-soft") for paper in ("bg", "bg-raised", "bg-soft", "bg-hover", "private-bg")],
        *[(ink, paper) for ink in ("link", "danger", "accent") for paper in ("bg", "bg-raised", "private-bg")],
        ("link", "mention-bg"),
        ("code-text", "bg-soft"),
        ("side-text", "side-bg"),
        ("side-soft", "side-bg"),
        ("side-text", "side-hover"),
    ],
)  # fmt: skip
def test_text_has_the_contrast_that_wcag_aa_asks_for(ink: str, paper: str, theme: int):
    css = (STATIC / "workspace.css").read_text()
    colours = {
        name: (light, dark or light)
        for name, light, dark in re.findall(r"--([\w-]+): (?:light-dark\()?(#\w{6})(?:, (#\w{6})\))?;", css)
    }
    assert contrast(colours[ink][theme], colours[paper][theme]) >= 4.5
