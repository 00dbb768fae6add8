"""The poster on the wires of a Slack on this machine: metadata, threads, edits, refusals in Slack's own words."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.adapters.chat.poster import Poster
from bot.adapters.chat.speaker import Speaker
from bot.adapters.store import Store
from bot.adapters.store.posts import Outbox
from bot.domain.document import Bullets, Document
from bot.domain.posting import Post
from bot.local.workspace import Channel, Message, Workspace
from bot.slack.connection import check, plain_client
from bot.views import blocks
from tests.adapters.chat.building import Clock, KilledError, a_post, a_reply
from tests.slack.conftest import SETUP

ARCHIVED = Channel("C0OLD", "old", ("U0ANA",), is_archived=True)
START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass
class Office:
    workspace: Workspace
    box: Outbox
    speaker: Speaker
    poster: Poster
    clock: Clock

    async def put(self, *posts: Post) -> None:
        await self.box.put(posts, self.clock.now)

    async def run(self, steps: int) -> None:
        for _ in range(steps):
            await self.poster.step()
            self.clock.forward(4)

    def seen(self, channel: str = "C0OPS", thread_ts: str | None = None) -> list[Message]:
        return self.workspace.messages(channel, "U0ANA", thread_ts=thread_ts)


def time_of(clock: Clock) -> Callable[[], float]:
    return lambda: clock().timestamp()


@pytest.fixture
async def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Office]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    clock = Clock(START)
    setup: dict[str, Any] = {"channels": (*SETUP.channels, ARCHIVED), "bot_channels": ("C0OPS", "C0OLD")}
    workspace = Workspace(replace(SETUP, **setup), clock=time_of(clock), rate_limits=True)
    await workspace.start()
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path}/posts.db")
    async with aiohttp.ClientSession() as session:
        client = plain_client("xoxb-local", workspace.api_url, session)
        speaker = Speaker(client, (await check(client)).user)
        box = Outbox(store)
        office = Office(workspace, box, speaker, Poster(box, speaker, clock), clock)
        yield office
        await office.workspace.stop()
    await store.close()


async def test_a_thread_with_its_root_edited_in_place(office: Office) -> None:
    await office.put(a_post(), a_reply("evidence"), a_reply("told", broadcast=True))
    await office.run(4)
    (root,) = office.seen()
    assert root.text == "it burns"
    assert [one.text for one in office.seen(thread_ts=root.ts)] == ["it burns", "evidence", "told"]
    assert root.metadata == {"event_type": "gpubot_post", "event_payload": {"key": "incident/prod/1"}}
    await office.put(a_post(text="it is out", blocks=blocks.render(Document(("it is out",))).blocks))
    await office.run(2)
    (root,) = office.seen()
    assert (root.text, root.metadata is None) == ("it is out", False)


@pytest.mark.parametrize("where", ["root", "reply"])
async def test_its_own_message_is_found_by_its_metadata(office: Office, where: str) -> None:
    """The message went out, and the process was gone before it could record that."""
    if where == "reply":
        await office.put(a_post())
        await office.run(2)
    await office.put(a_post(), *([a_reply("evidence")] if where == "reply" else []))
    saved = office.box.stands

    async def killed(*_: Any) -> None:
        raise KilledError

    office.box.stands = killed  # type: ignore[method-assign]  # the process dies here
    with pytest.raises(KilledError):
        await office.poster.step()
    office.box.stands = saved  # type: ignore[method-assign]
    for number in range(150):  # more than one page of history
        await office.workspace.say("U0ANA", "C0OPS", f"chatter {number}")
    office.clock.forward(30)
    office.poster = Poster(office.box, office.speaker, office.clock)
    await office.run(3)
    keys = [one.metadata["event_payload"]["key"] for one in all_of(office) if one.metadata]
    assert sorted(keys) == ["incident/prod/1", "incident/prod/1/evidence"][: len(keys)]
    assert len(keys) == (2 if where == "reply" else 1)


def all_of(office: Office) -> list[Message]:
    return [reply for one in office.seen() for reply in office.seen(thread_ts=one.ts)]


async def test_a_message_that_only_looks_like_ours_is_not_taken_for_it(office: Office) -> None:
    found = await Speaker(office.speaker._client, "U0OTHER").find("C0OPS", "", "incident/prod/1", START)
    await office.put(a_post())
    await office.run(1)
    assert found == ""
    assert await Speaker(office.speaker._client, "U0OTHER").find("C0OPS", "", "incident/prod/1", START) == ""
    assert await office.speaker.find("C0OPS", "", "incident/prod/1", START) == office.seen()[0].ts


@pytest.mark.parametrize(
    ("channel", "word"),
    [
        pytest.param("C0PRIV", "channel_not_found", id="a private channel that the bot is not in"),
        pytest.param("C0NONE", "channel_not_found", id="one that does not exist"),
        pytest.param("C0OLD", "is_archived", id="one that is archived"),
    ],
)
async def test_a_channel_that_is_not_to_be_had(office: Office, channel: str, word: str) -> None:
    office.poster = Poster(office.box, office.speaker, office.clock, fallback="C0OPS")
    await office.put(a_post(channel=channel))
    await office.run(5)
    assert sorted(one.text[:30] for one in office.seen()) == [f"I cannot post in {channel} ({word})"[:30], "it burns"]


async def test_slack_slows_down_and_nothing_is_lost(office: Office) -> None:
    office.workspace.faults.status("chat.postMessage", 429, retry_after=30, times=1)
    office.workspace.faults.fail("chat.postMessage", "internal_error", times=1)
    office.workspace.faults.status("chat.postMessage", 503, times=2)
    await office.put(a_post(), a_post("b", "second"))
    await office.run(60)
    assert sorted(one.text for one in office.seen()) == ["it burns", "second"]
    assert office.poster.counts["slow"] == 1


async def test_blocks_that_slack_refuses_are_said_in_words(office: Office) -> None:
    await office.put(a_post(blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}]))
    await office.run(2)
    (said,) = office.seen()
    assert (said.text, said.blocks) == ("it burns", [])


async def test_more_than_a_message_holds_fits_all_the_same(office: Office) -> None:
    huge = Document(
        ("so much",), tuple(Bullets(f"part {n}", tuple((f"line {i}",) for i in range(40))) for n in range(60))
    )
    message = blocks.render(huge)
    await office.put(a_post(text=message.text, blocks=message.blocks))
    await office.put(a_post("b", "y" * 50_000, blocks=[{"type": "divider"}] * 60))
    await office.run(3)
    assert len(json.dumps(office.seen()[0].blocks)) < 13_000
    assert len(office.seen()) == 2


async def test_slack_is_gone_and_everything_is_said_when_it_is_back(office: Office) -> None:
    port = office.workspace.port
    await office.workspace.stop()
    await office.put(a_post(), a_reply("evidence"))
    await office.run(10)
    assert office.poster.trouble, "it says so"
    office.workspace = Workspace(SETUP, clock=time_of(office.clock), rate_limits=True)
    await office.workspace.start(port)
    assert not office.workspace.port_taken
    office.clock.forward(120)
    await office.run(4)
    assert [one.text for one in all_of(office)] == ["it burns", "evidence"]
    assert office.poster.trouble == ""
