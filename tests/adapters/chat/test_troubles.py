"""Slack does not take a message: it is kept, said as soon as it can be, and a person hears why."""

from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from bot.adapters.chat.trouble import ChatTroubleError, Trouble
from tests.adapters.chat.building import CHANNEL, a_post, a_reply
from tests.adapters.chat.conftest import Office


def failing(trouble: Trouble, reason: str, *, times: int = 1, seconds: float = 0.0) -> Callable[[str], None]:
    left = [times]

    def hook(what: str) -> None:
        if what in ("post", "edit") and left[0]:
            left[0] -= 1
            raise ChatTroubleError(trouble, reason, seconds)

    return hook


async def test_slack_says_to_wait_and_that_channel_waits_so_long(office: Office) -> None:
    await office.put(a_post(), a_post("other", channel="C0DEV"))
    office.chat.hook = failing(Trouble.SLOW, "ratelimited", seconds=30)
    await office.run(29)
    assert len(office.chat.messages) == 1, "the other channel goes on"
    await office.run(3)
    assert len(office.chat.messages) == 2
    assert "find" not in office.chat.calls, "a refused message is in no doubt"


async def test_slack_is_out_of_reach_and_everything_is_said_when_it_is_back(office: Office) -> None:
    await office.put(a_post(), a_reply("evidence"))
    office.chat.hook = failing(Trouble.UNKNOWN, "ClientConnectorError", times=8)
    await office.run(60)
    assert office.poster.trouble == "ClientConnectorError"
    assert len(office.chat.calls) < 10, "with growing pauses"
    await office.run(400, 4)
    assert office.chat.texts() == ["it burns", "evidence"]
    assert office.poster.trouble == ""


async def test_an_answer_that_never_came_is_looked_for_before_it_is_said_again(office: Office) -> None:
    await office.put(a_post())

    def lost(what: str) -> None:
        if what == "posted":
            raise ChatTroubleError(Trouble.UNKNOWN, "timeout")

    office.chat.hook = lost
    await office.poster.step()
    office.chat.hook = lambda what: None
    await office.run(60)
    assert office.chat.texts() == ["it burns"]
    assert office.poster.counts["found again"] == 1


@pytest.mark.parametrize("reason", ["channel_not_found", "not_in_channel", "is_archived"])
async def test_a_channel_that_cannot_be_posted_in_is_told_once_and_tried_slowly(office: Office, reason: str) -> None:
    await office.put(a_post(), a_reply("evidence"), a_post("b"))
    office.chat.hook = failing(Trouble.NO_CHANNEL, reason, times=9)
    with capture_logs() as logs:
        await office.run(1_000, 10)
    assert len([entry for entry in logs if entry["event"] == "a channel cannot be posted in"]) == 1
    assert len(office.chat.calls) <= 8
    await office.run(2_000, 10)
    assert sorted(office.chat.texts()) == ["evidence", "it burns", "it burns"], "the bot was invited at last"


async def test_what_its_channel_does_not_take_comes_to_the_fallback(office: Office) -> None:
    office.restarted(fallback="C0BOT")
    await office.put(a_post(), a_reply("evidence"))

    def hook(what: str) -> None:
        if what == "post" and len(office.chat.calls) == 1:
            raise ChatTroubleError(Trouble.NO_CHANNEL, "not_in_channel")

    office.chat.hook = hook
    await office.run(30)
    assert office.chat.texts(CHANNEL) == []
    told = office.chat.texts("C0BOT")
    assert sorted(told)[1:] == ["evidence", "it burns"]
    assert "I cannot post in C0OPS (not_in_channel)." in sorted(told)[0]
    await office.put(a_post(text="it is out"))
    await office.run(400, 4)
    assert "it is out" in office.chat.texts("C0BOT"), "a thread stays where it began"


async def test_how_it_looks_is_not_taken_and_it_is_said_in_words(office: Office) -> None:
    await office.put(a_post(blocks=[{"type": "novelty"}]))
    office.chat.hook = failing(Trouble.UNFIT, "invalid_blocks")
    await office.run(2)
    assert office.chat.texts() == ["it burns"]


async def test_a_message_that_a_person_deleted_is_not_made_again(office: Office) -> None:
    await office.put(a_post())
    await office.run(2)
    office.chat.messages.clear()
    await office.put(a_post(text="it is out"), a_reply("evidence"), a_post("b", "something else"))
    await office.run(20)
    assert office.chat.texts() == ["something else"]


async def test_slack_lets_nobody_in_and_a_post_waits(office: Office) -> None:
    await office.put(a_post())
    office.chat.hook = failing(Trouble.CLOSED, "token_revoked", times=2)
    await office.run(30)
    assert (office.chat.texts(), office.poster.trouble, len(office.chat.calls)) == ([], "token_revoked", 1)
    await office.run(120, 2)
    assert office.chat.texts() == ["it burns"]


async def test_who_may_not_read_histories_says_it_again_rather_than_not(office: Office) -> None:
    await office.put(a_post())

    def hook(what: str) -> None:
        if what == "posted":
            raise ChatTroubleError(Trouble.UNKNOWN, "timeout")
        if what == "find":
            office.chat.hook = lambda said: None
            raise ChatTroubleError(Trouble.CLOSED, "missing_scope")

    office.chat.hook = hook
    await office.run(60)
    assert office.chat.texts() == ["it burns", "it burns"]
