"""A change on its whole way through Slack: asked for, shown to all, agreed to, done, undone; and what is refused."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.domain.audit import Happened
from bot.local.workspace import Message
from bot.logs import set_up
from config.access import AccessSettings
from tests.slack.conversing import Whole, the_whole

CORDON = "/gpu node cordon gpu-1 because it fails"


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    set_up("error", json_lines=True)


@pytest.fixture
async def whole(tmp_path: Path, quiet: None) -> AsyncIterator[Whole]:
    async with the_whole(tmp_path) as made:
        yield made


def buttons(message: Message) -> dict[str, dict[str, str]]:
    """By their label."""
    rows = [block["elements"] for block in message.blocks if block["type"] == "actions"]
    return {one["text"]["text"]: one for row in rows for one in row}


async def card(whole: Whole, says: str, who: str = "U0BEN") -> Message:
    return await whole.seen(who, lambda one: one.ephemeral_to is None and says in one.text)


async def events(whole: Whole) -> list[Happened]:
    assert whole.app.records is not None
    return [row.event.what for row in await whole.app.records.changes.audit_rows()]


async def test_one_asks_another_agrees_and_it_is_done_and_undone(whole: Whole) -> None:
    private = await whole.slash("U0ANA", CORDON)
    assert "Change 1 is proposed" in private.text
    asked = await card(whole, "waits for 1 approval")
    assert set(buttons(asked)) == {"Approve", "Refuse"}
    assert not whole.cordoned

    mine = await whole.click("U0ANA", asked, buttons(asked)["Approve"]["action_id"])
    assert "asked for" in mine.text, "nobody agrees to what they asked for themselves"
    assert not whole.cordoned

    told = await whole.click("U0BEN", asked, buttons(asked)["Approve"]["action_id"])
    assert "Change 1 begins" in told.text
    done = await card(whole, "Done: change 1")
    assert whole.cordoned
    assert done.ts == asked.ts, "one message, edited in place"

    undone = await whole.click("U0BEN", done, buttons(done)["Undo"]["action_id"])
    assert "is being undone" in undone.text
    await card(whole, "Undone: change 1")
    assert not whole.cordoned
    said = await events(whole)
    assert {Happened.PROPOSED, Happened.CLICK_REFUSED, Happened.APPROVED, Happened.STEP} <= set(said)
    assert whole.app.records is not None
    assert (await whole.app.records.changes.verify()).broken is None


async def test_who_may_not_ask_is_refused_and_that_is_recorded(whole: Whole) -> None:
    told = await whole.slash("U0ANA", "/gpu freeze 2h because of a test")
    assert "needs the role admin" in told.text
    assert await events(whole) == [Happened.REFUSED]


@pytest.mark.parametrize(
    ("access", "says"),
    [
        pytest.param(AccessSettings(), "your role is reader in this channel (needs operator)", id="nobody is named"),
        pytest.param(AccessSettings(readers=()), "You may not ask gpubot here", id="an empty list lets nobody in"),
    ],
)
async def test_rights_are_those_of_the_settings(tmp_path: Path, quiet: None, access: AccessSettings, says: str) -> None:
    async with the_whole(tmp_path, access=access) as whole:
        assert says in (await whole.slash("U0ANA", CORDON)).text
        assert await events(whole) == [Happened.REFUSED]
        assert not whole.cordoned


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("", id="nothing"),
        pytest.param("yes", id="a word alone"),
        pytest.param("nonce|yes", id="a nonce that nobody made"),
        pytest.param("1|yes", id="the number of a change"),
        pytest.param("gpu-1|cordon", id="the name of an object"),
        pytest.param("x" * 1_900, id="very much"),
    ],
)
async def test_a_forged_button_does_nothing(whole: Whole, value: str) -> None:
    await whole.slash("U0ANA", CORDON)
    asked = await card(whole, "waits for 1 approval")
    before = {one.ts for one in whole.workspace.messages("C0OPS", "U0BEN")}
    action = buttons(asked)["Approve"]["action_id"]
    await whole.workspace.click("U0BEN", asked.ts, action, value=value or "|")
    told = await whole.seen("U0BEN", lambda one: one.ts not in before and one.ephemeral_to == "U0BEN")
    assert "none of mine" in told.text
    assert not whole.cordoned
    assert (await events(whole))[-1] is Happened.CLICK_STALE


async def test_ten_people_at_once_do_it_once(whole: Whole) -> None:
    await whole.slash("U0ANA", CORDON)
    asked = await card(whole, "waits for 1 approval")
    action = buttons(asked)["Approve"]["action_id"]
    await asyncio.gather(*(whole.workspace.click("U0BEN", asked.ts, action) for _ in range(10)))
    await card(whole, "Done: change 1")
    said = await events(whole)
    assert said.count(Happened.APPROVED) == 1
    assert said.count(Happened.STEP) == 1


async def test_a_delivery_that_comes_three_times_is_one(whole: Whole) -> None:
    """Also to the process that comes after."""
    sockets = whole.workspace.backend.sockets
    seen: list[tuple[str, dict[str, object]]] = []
    deliver = sockets.deliver

    async def listening(kind: str, payload: dict[str, object], **more: object) -> object:
        seen.append((kind, payload))
        return await deliver(kind, payload, **more)  # type: ignore[arg-type]

    sockets.deliver = listening  # type: ignore[method-assign,assignment]
    await whole.slash("U0ANA", CORDON)
    command = seen[0]
    await deliver(*command)  # type: ignore[arg-type]
    await whole.restarted()
    await deliver(*command)  # type: ignore[arg-type]
    asked = await card(whole, "waits for 1 approval")
    await whole.click("U0BEN", asked, buttons(asked)["Approve"]["action_id"])
    await card(whole, "Done: change 1")
    click = next(one for one in reversed(seen) if one[0] == "interactive")
    for _ in range(2):
        await deliver(*click)  # type: ignore[arg-type]
    await whole.slash("U0ANA", "/gpu status")
    said = await events(whole)
    assert said.count(Happened.PROPOSED) == 1
    assert said.count(Happened.STEP) == 1
    assert Happened.CLICK_STALE not in said, "a repeat is no second click"


async def test_a_mention_that_slack_repeats_over_six_minutes_is_answered_once(whole: Whole) -> None:
    sockets = whole.workspace.backend.sockets
    seen: list[dict[str, object]] = []
    deliver = sockets.deliver

    async def listening(kind: str, payload: dict[str, object], **more: object) -> object:
        if kind == "events_api":
            seen.append(payload)
        return await deliver(kind, payload, **more)  # type: ignore[arg-type]

    sockets.deliver = listening  # type: ignore[method-assign,assignment]
    mention = f"<@{whole.workspace.bot_user_id}> node cordon gpu-1 because it fails"
    ts = await whole.workspace.say("U0ANA", "C0OPS", mention)
    await card(whole, "waits for 1 approval")
    event = next(one for one in seen if one["event"]["type"] == "app_mention")  # type: ignore[index]
    for attempt, reason in ((1, "timeout"), (2, "timeout"), (3, "connection_failed")):
        if attempt == 2:
            await whole.restarted()
        ack = await deliver("events_api", event, retry=(attempt, reason))
        assert ack.error is None
    await whole.slash("U0ANA", "/gpu status")
    assert (await events(whole)).count(Happened.PROPOSED) == 1
    answers = [one for one in whole.workspace.messages("C0OPS", "U0BEN", thread_ts=ts) if one.ts != ts]
    assert [one.text[:20] for one in answers] == ["Change 1 is proposed"]


async def test_what_was_agreed_to_goes_on_after_a_restart(whole: Whole) -> None:
    await whole.slash("U0ANA", CORDON)
    asked = await card(whole, "waits for 1 approval")
    await whole.restarted()
    await whole.click("U0BEN", asked, buttons(asked)["Approve"]["action_id"])
    done = await card(whole, "Done: change 1")
    assert whole.cordoned
    assert done.ts == asked.ts
