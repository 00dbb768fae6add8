"""The second channel and the heartbeat, over a transport that answers as told."""

import json
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from bot.adapters.chat.second import Heartbeat, SecondChannel
from bot.domain.errors import ChatError
from tests.adapters.chat.building import NOW

SECRET = "https://example.org/hooks/very-secret"


def client(sent: list[httpx.Request], status: int = 200) -> httpx.AsyncClient:
    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(status)

    return httpx.AsyncClient(transport=httpx.MockTransport(answer))


async def test_a_webhook_gets_a_text(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("hush\n", encoding="utf-8")
    sent: list[httpx.Request] = []
    await SecondChannel(client(sent), SECRET, token_file=str(token)).say("Slack", "I am deaf.", firing=True, since=NOW)
    body = json.loads(sent[0].content)
    assert (body["text"], body["firing"], body["source"]) == ("I am deaf.", True, "Slack")
    assert sent[0].headers["Authorization"] == "Bearer hush"


async def test_an_alertmanager_gets_an_alert_that_ends_when_it_is_over() -> None:
    sent: list[httpx.Request] = []
    channel = SecondChannel(client(sent), "http://alerts:9093/", kind="alertmanager", now=lambda: NOW)
    await channel.say("Slack", "I am deaf.", firing=True, since=NOW - timedelta(minutes=5))
    await channel.say("Slack", "I hear again.", firing=False, since=NOW - timedelta(minutes=5))
    (first,), (last,) = (json.loads(request.content) for request in sent)
    assert str(sent[0].url) == "http://alerts:9093/api/v2/alerts"
    assert first["labels"] == last["labels"] == {"alertname": "GpubotBlind", "source": "Slack", "severity": "critical"}
    assert first["endsAt"] > NOW.isoformat() == last["endsAt"]


@pytest.mark.parametrize("status", [404, 500])
async def test_a_refusal_is_raised_without_the_address(status: int) -> None:
    with pytest.raises(ChatError) as caught:
        await SecondChannel(client([], status), SECRET).say("Slack", "x", firing=True, since=NOW)
    assert "very-secret" not in str(caught.value)
    assert str(caught.value) == f"example.org answered {status}."


async def test_nobody_there_is_raised_too() -> None:
    async with httpx.AsyncClient(trust_env=False) as real:
        with pytest.raises(ChatError, match=r"127\.0\.0\.1 cannot be reached"):
            await Heartbeat(real, "http://127.0.0.1:9/ping").beat()


async def test_a_heartbeat_comes_every_so_many_seconds() -> None:
    sent: list[httpx.Request] = []
    heart = Heartbeat(client(sent), SECRET, method="GET", every_seconds=60)
    assert [heart.due(NOW + timedelta(seconds=seconds)) for seconds in (0, 10, 59, 60, 70)] == [
        True,
        False,
        False,
        True,
        False,
    ]
    await heart.beat()
    assert sent[0].method == "GET"
