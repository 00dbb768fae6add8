"""A button whose line waits for a reason opens a form; what comes back is the line with it, and nothing else is believed."""

import asyncio
from typing import Any

import pytest

from bot.domain.document import Button, Document
from bot.slack.desk import Desk
from bot.slack.people import Caller
from bot.slack.reason import KEPT_AT_MOST, Reasons
from bot.views.blocks import render
from tests.slack.conftest import Bot

ANA, BEN = Caller("U0ANA", "C0OPS"), "U0BEN"


def submitted(view: dict[str, Any], reason: str) -> dict[str, Any]:
    return {**view, "state": {"values": {"reason": {"text": {"type": "plain_text_input", "value": reason}}}}}


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        pytest.param("it fails", "status because it fails", id="words"),
        pytest.param("a\nb\x00 <!channel>", "status because a b ‹!channel>", id="control characters and a ping"),
        pytest.param("", "status because ", id="nothing"),
    ],
)
def test_the_line_goes_on_with_the_reason(reason: str, line: str) -> None:
    reasons = Reasons()
    view = reasons.form("status because", ANA)
    assert reasons.take(submitted(view, reason), "U0ANA") == (line, "C0OPS")
    assert reasons.take(submitted(view, reason), "U0ANA") is None, "once"


def test_a_form_of_somebody_else_or_of_nobody_is_none() -> None:
    reasons = Reasons()
    view = reasons.form("status because", ANA)
    assert reasons.take({**view, "private_metadata": "guessed"}, "U0ANA") is None
    assert reasons.take(submitted(view, "x"), BEN) is None


def test_only_a_line_that_ends_so_asks() -> None:
    reasons = Reasons()
    assert reasons.wanted("silence incident=1 2h because")
    assert not reasons.wanted("silence incident=1 2h because it is known")


def test_forms_that_nobody_sends_are_forgotten() -> None:
    reasons = Reasons()
    first = reasons.form("status because", ANA)
    for _ in range(KEPT_AT_MOST):
        reasons.form("status because", ANA)
    assert reasons.take(first, "U0ANA") is None


async def test_the_form_opens_for_who_clicked_and_its_answer_is_theirs_alone(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    async def listening(desk: Desk, line: str, caller: Caller) -> Document:
        asked.append((line, caller.channel))
        return (await desk.ask("status", caller)).document

    monkeypatch.setattr(Desk, "ask_privately", listening)
    button = Button("Silence…", "ask", "silence incident=1 2h because", "Say nothing of it")
    message = render(Document(("it burns",), buttons=(button,)))
    post = bot.workspace.backend.posting.post("C0OPS", {"text": message.text, "blocks": message.blocks})
    await bot.workspace.click("U0ANA", post.ts, "ask")
    async with asyncio.timeout(5):
        while (view := bot.workspace.view("U0ANA")) is None:  # noqa: ASYNC110  # nothing tells
            await asyncio.sleep(0.01)
    assert "/gpu silence incident=1 2h, because" in str(view["blocks"])
    refused = await bot.workspace.submit("U0ANA", view["id"], {})
    assert refused.error == "required_fields"
    sent = await bot.workspace.submit("U0ANA", view["id"], {"reason": "we know"})
    assert sent.error is None
    answer = await bot.workspace.next_message("C0OPS", "U0ANA", after=post.ts)
    assert answer.ephemeral_to == "U0ANA"
    assert asked == [("silence incident=1 2h because we know", "C0OPS")]
