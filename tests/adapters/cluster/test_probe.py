"""A served model is asked through the API server's proxy: what is told of good answers, of wrong ones, of hostile ones."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.cluster import probe
from bot.adapters.cluster.connection import plain
from bot.adapters.cluster.probe import ClusterProbe
from bot.domain.probing import Endpoint, Smoke

WHERE = Endpoint("llm", "flash", 8000, "flash", tools=True)
PATH = "/api/v1/namespaces/llm/services/flash:8000/proxy/v1/chat/completions"
CALL = {"function": {"name": "get_weather", "arguments": '{"city": "Berlin"}'}}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def event(delta: dict[str, Any] | None = None, **more: Any) -> bytes:
    choices = [{"delta": delta}] if delta is not None else []
    return b"data: " + json.dumps({"choices": choices, **more}).encode() + b"\n\n"


GOOD = (event({"role": "assistant"}), event({"content": "Hel"}), event({"content": "lo."}), b"data: [DONE]\n\n")


class Engine:
    """Answers in turn with what it is told; the last answer stays. `asked` are the bodies that came."""

    def __init__(self) -> None:
        self.stream: list[Handler] = [streams(*GOOD)]
        self.call: Handler = says({"choices": [{"message": {"tool_calls": [CALL]}}]})
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path)
        self.asked.append(await request.json())
        if not self.asked[-1].get("stream"):
            return await self.call(request)
        handler = self.stream.pop(0) if len(self.stream) > 1 else self.stream[0]
        return await handler(request)


def streams(*parts: bytes, status: int = 200) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(status=status, headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        for part in parts:
            await answer.write(part)
        return answer

    return handler


def says(body: Any, status: int = 200) -> Handler:
    async def handler(request: web.Request) -> web.Response:
        del request
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return web.Response(body=data, status=status)

    return handler


async def never(request: web.Request) -> web.StreamResponse:
    del request
    await asyncio.Event().wait()
    raise AssertionError


async def trickles(request: web.Request) -> web.StreamResponse:
    """Never silent, and never at an end."""
    answer = web.StreamResponse()
    await answer.prepare(request)
    while True:
        await answer.write(event({"content": "x"}))
        await asyncio.sleep(0.01)


async def breaks_off(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
async def prober(engine: Engine) -> AsyncIterator[ClusterProbe]:
    app = web.Application()
    app.router.add_post("/{path:.*}", engine.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    async with plain(f"http://{host}:{port}") as connection:
        yield ClusterProbe(connection)
    await runner.cleanup()


async def test_a_good_one_is_told_with_its_words_its_tool_call_and_its_pace(
    prober: ClusterProbe, engine: Engine
) -> None:
    all_there, good = asyncio.Barrier(8), streams(*GOOD)

    async def with_the_others(request: web.Request) -> web.StreamResponse:
        await all_there.wait()
        return await good(request)

    engine.stream = [good, good, with_the_others]
    async with asyncio.timeout(10):
        found = await prober.smoke(WHERE)
    assert (found.ok, found.answer, found.called) == (True, "Hello.", True)
    assert [(one.at_once, one.failed) for one in found.paces] == [(1, 0), (8, 0)]
    assert all(one.tokens_per_second > 0 and one.first_token_seconds is not None for one in found.paces)
    assert set(engine.paths) == {PATH}
    assert len(engine.asked) == 1 + 1 + 1 + 8
    assert all(one["model"] == "flash" and one["max_tokens"] <= 256 for one in engine.asked)
    assert "ignore_eos" not in engine.asked[0], "its first words end where it wants to"


async def test_where_no_parser_is_set_no_tool_is_offered(prober: ClusterProbe, engine: Engine) -> None:
    found = await prober.smoke(Endpoint("llm", "flash", 8000, "flash"))
    assert found.called is None
    assert not any("tools" in one for one in engine.asked)


async def test_thoughts_are_tokens_too(prober: ClusterProbe, engine: Engine) -> None:
    engine.stream = [streams(event({"reasoning_content": "Hm."}), event({"content": ""}))]
    assert (await prober.smoke(WHERE)).answer == "Hm."


async def test_the_engines_own_count_of_tokens_goes_before_the_number_of_events(
    prober: ClusterProbe, engine: Engine
) -> None:
    """With guessing ahead one event brings several."""
    engine.stream = [streams(*GOOD[:-1], event(usage={"completion_tokens": 2_000}))]
    many = await prober.pace(WHERE, 1)
    engine.stream = [streams(*GOOD)]
    few = await prober.pace(WHERE, 1)
    assert many.tokens_per_second > 20 * few.tokens_per_second


WRONG: list[Any] = [
    pytest.param(says({"message": "model not found"}, 404), "404", id="another name of the model"),
    pytest.param(says(b"error trying to reach service", 503), "503: error trying to reach", id="nobody behind it"),
    pytest.param(streams(b"data: [DONE]\n\n"), "without a single token", id="an empty answer"),
    pytest.param(streams(b"<html>not an engine</html>\n"), "without a single token", id="something else answers"),
    pytest.param(streams(b"data: {nonsense\n\n", b"data: [1]\n\n"), "without a single token", id="no JSON, no object"),
    pytest.param(streams(b"data: " + b"[" * 50_000 + b"\n"), "without a single token", id="JSON as deep as a well"),
    pytest.param(streams(b"x" * 3_000_000), "cannot be read", id="a line without an end"),
    pytest.param(streams(event({"content": "a"}), event(None, choices=[])), "", id="an event without a choice"),
    pytest.param(says(b"\xff" * 1_000_000, 500), "500", id="a large body that is no text"),
    pytest.param(breaks_off, "Cannot reach", id="it breaks off"),
]


@pytest.mark.parametrize(("answer", "says_what"), WRONG)
async def test_what_is_wrong_is_told_and_nothing_raises(
    prober: ClusterProbe, engine: Engine, answer: Handler, says_what: str
) -> None:
    engine.stream = [answer]
    found = await prober.smoke(WHERE)
    assert found.ok is not bool(says_what)
    assert says_what in found.wrong
    assert len(found.wrong) < 500


@pytest.mark.parametrize("answer", [never, trickles])
async def test_what_hangs_or_never_ends_is_given_up(
    prober: ClusterProbe, engine: Engine, answer: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "TOTAL_SECONDS", 0.2)
    engine.stream = [answer]
    async with asyncio.timeout(5):
        found: Smoke = await prober.smoke(WHERE)
    assert not found.ok


async def test_requests_at_once_that_fail_are_counted(prober: ClusterProbe, engine: Engine) -> None:
    good = streams(*GOOD)
    engine.stream = [good, good, *[good] * 5, says(b"busy", 503)]
    found = await prober.smoke(WHERE)
    assert (found.paces[1].failed, found.wrong) == (3, "3 of 8 requests at once failed")


CALLS: list[Any] = [
    pytest.param(
        says({"choices": [{"message": {"content": "I would call"}}]}), "no tool call came", id="words instead"
    ),
    pytest.param(says({"error": "no parser"}, 400), "refused with 400", id="the engine has no parser"),
    pytest.param(
        says({"choices": [{"message": {"tool_calls": [{"function": {"arguments": "<arg>Berlin"}}]}}]}),
        "did not parse",
        id="arguments that are no JSON",
    ),
    pytest.param(
        says({"choices": [{"message": {"tool_calls": [{"function": {"arguments": '"Berlin"'}}]}}]}),
        "no object",
        id="arguments that are no object",
    ),
    pytest.param(says({"choices": []}), "did not parse", id="no choice"),
    pytest.param(says([1]), "did not parse", id="no object at all"),
    pytest.param(says({"choices": [{"message": {"tool_calls": 7}}]}), "did not parse", id="calls that are no list"),
    pytest.param(breaks_off, "got no answer", id="it breaks off"),
]


@pytest.mark.parametrize(("answer", "says_what"), CALLS)
async def test_a_tool_call_has_to_come_and_parse(
    prober: ClusterProbe, engine: Engine, answer: Handler, says_what: str
) -> None:
    engine.call = answer
    found = await prober.smoke(WHERE)
    assert found.called is False
    assert says_what in found.wrong
    assert found.answer == "Hello."
