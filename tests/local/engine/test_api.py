import asyncio
import json
from typing import Any

import aiohttp
import pytest

from tests.local.engine.helpers import TOOLS, Asking, serving

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
    },
}
TIME = {"type": "function", "function": {"name": "get_time", "parameters": {}}}
PLAIN = {"chat_template_kwargs": {"enable_thinking": False}}


def joined(events: list[Any], field: str) -> str:
    deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
    return "".join(delta.get(field) or "" for delta in deltas)


# what monitors and probes ask


@pytest.mark.parametrize("path", ["/health", "/ping", "/load", "/version", "/v1/models", "/metrics"])
async def test_what_monitors_ask_is_answered(glm: Asking, path: str) -> None:
    assert (await glm.get(path))[0] == 200


async def test_the_model_is_named_as_it_is_served(glm: Asking) -> None:
    model = json.loads((await glm.get("/v1/models"))[1])["data"][0]
    assert (model["id"], model["root"], model["max_model_len"]) == ("glm", "zai-org/GLM-5.2-FP8", 1_048_576)
    assert json.loads((await glm.get("/version"))[1]) == {"version": "0.33.0"}


# whole answers


async def test_an_answer_thinks_first_and_counts_its_tokens(glm: Asking) -> None:
    status, told = await glm.chat(model="glm")
    choice = told["choices"][0]
    assert (status, told["object"], choice["finish_reason"]) == (200, "chat.completion", "stop")
    assert choice["message"]["reasoning_content"]
    assert choice["message"]["content"]
    words = len(f"{choice['message']['reasoning_content']} {choice['message']['content']}".split())
    assert told["usage"]["completion_tokens"] == words
    assert told["usage"]["total_tokens"] == words + told["usage"]["prompt_tokens"]


@pytest.mark.parametrize(
    ("asked", "finish", "thinks", "answers"),
    [
        pytest.param({}, "stop", True, True, id="nothing said: it thinks and ends by itself"),
        pytest.param(PLAIN, "stop", False, True, id="thinking is turned off"),
        pytest.param({"max_tokens": 5}, "length", True, False, id="a short limit leaves thoughts only"),
        pytest.param({**PLAIN, "max_tokens": 5}, "length", False, True, id="a short limit without thoughts"),
        pytest.param({**PLAIN, "max_tokens": 60}, "stop", False, True, id="a limit that it does not reach"),
        pytest.param({**PLAIN, "max_tokens": 60, "ignore_eos": True}, "length", False, True, id="it must go on"),
    ],
)
async def test_how_an_answer_ends(glm: Asking, asked: dict[str, Any], finish: str, thinks: bool, answers: bool) -> None:
    choice = (await glm.chat(**asked))[1]["choices"][0]
    message = choice["message"]
    assert (choice["finish_reason"], bool(message["reasoning_content"]), bool(message["content"])) == (
        finish,
        thinks,
        answers,
    )


async def test_a_completion_without_chat_has_sixteen_tokens(glm: Asking) -> None:
    status, told = await glm.post("/v1/completions", {"prompt": "One two", "model": "glm"})
    assert (status, told["object"]) == (200, "text_completion")
    assert told["choices"][0]["text"]
    assert told["usage"] == {
        "prompt_tokens": 2,
        "completion_tokens": 16,
        "total_tokens": 18,
        "prompt_tokens_details": None,
    }


# streams


async def test_a_stream_says_the_same_as_the_whole(glm: Asking) -> None:
    whole = (await glm.chat())[1]["choices"][0]["message"]
    events = await glm.streamed(stream_options={"include_usage": True})
    assert events[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert joined(events, "content") == whole["content"]
    assert joined(events, "reasoning_content") == whole["reasoning_content"]
    assert {event["object"] for event in events} == {"chat.completion.chunk"}
    assert len({e["id"] for e in events}) == 1
    assert [e["choices"][0]["finish_reason"] for e in events if e["choices"]][-2:] == [None, "stop"]
    assert events[-1]["choices"] == []
    assert events[-1]["usage"]["completion_tokens"] == len(events) - 3


async def test_a_stream_tells_no_usage_unless_asked(glm: Asking) -> None:
    assert all("usage" not in event for event in await glm.streamed(max_tokens=3))


# tools


async def test_a_tool_is_called_with_arguments_by_their_types(glm: Asking) -> None:
    choice = (await glm.chat(tools=[WEATHER], **PLAIN))[1]["choices"][0]
    call = choice["message"]["tool_calls"][0]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", None)
    assert (call["type"], call["function"]["name"]) == ("function", "get_weather")
    assert json.loads(call["function"]["arguments"]) == {"city": "Berlin", "days": 1}


async def test_a_streamed_call_comes_in_pieces(glm: Asking) -> None:
    events = await glm.streamed(tools=[WEATHER], **PLAIN)
    deltas = [e["choices"][0]["delta"]["tool_calls"][0] for e in events if "tool_calls" in e["choices"][0]["delta"]]
    assert deltas[0]["function"] == {"name": "get_weather", "arguments": ""}
    assert deltas[0]["id"].startswith("call-")
    assert json.loads("".join(one["function"]["arguments"] for one in deltas)) == {"city": "Berlin", "days": 1}
    assert len(deltas) > 3
    assert events[-1]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("choice", "called"),
    [
        pytest.param("auto", "get_weather", id="the first"),
        pytest.param("required", "get_weather", id="one is required"),
        pytest.param("none", None, id="none is wanted"),
        pytest.param({"type": "function", "function": {"name": "get_time"}}, "get_time", id="the one that is named"),
    ],
)
async def test_which_tool_is_called(glm: Asking, choice: object, called: str | None) -> None:
    message = (await glm.chat(tools=[WEATHER, TIME], tool_choice=choice))[1]["choices"][0]["message"]
    assert [one["function"]["name"] for one in message["tool_calls"]] == ([called] if called else [])


async def test_without_a_parser_tools_are_refused() -> None:
    async with serving() as (_, asking):
        status, told = await asking.chat(tools=[WEATHER])
    assert status == 400
    assert "requires --enable-auto-tool-choice" in told["error"]["message"]


# refusals


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        pytest.param({"model": "other", "messages": []}, 404, "NotFoundError", id="another model"),
        pytest.param({}, 400, "BadRequestError", id="no messages"),
        pytest.param([], 400, "BadRequestError", id="no object"),
        pytest.param({"messages": [], "max_tokens": 0}, 400, "BadRequestError", id="no token"),
        pytest.param({"messages": [], "max_tokens": 2_000_000}, 400, "BadRequestError", id="more than the context"),
    ],
)
async def test_what_is_refused(glm: Asking, body: object, status: int, kind: str) -> None:
    found, told = await glm.post("/v1/chat/completions", body)
    assert (found, told["error"]["type"], told["error"]["code"]) == (status, kind, status)


async def test_unknown_paths_and_methods(glm: Asking) -> None:
    assert (await glm.get("/v1/nothing"))[0] == 404
    assert (await glm.get("/v1/chat/completions"))[0] == 405


async def test_a_key_guards_the_models_but_not_health_and_metrics() -> None:
    async with serving("--api-key=secret") as (_, asking):
        assert [(await asking.get(path))[0] for path in ("/v1/models", "/health", "/metrics")] == [401, 200, 200]
        head = {"Authorization": "Bearer secret"}
        async with asking.session.get(f"{asking.url}/v1/models", headers=head) as answer:
            assert answer.status == 200


# faults while it serves


async def test_a_hung_engine_is_healthy_and_gives_no_token_until_it_heals() -> None:
    async with serving(*TOOLS) as (server, asking):
        assert await asking.post("/sim/faults", {"hung": True}) == (200, {**_well(), "hung": True, "slow": 0.001})
        asked = asyncio.create_task(asking.chat(max_tokens=4))
        async with asyncio.timeout(5):
            while 'vllm:num_requests_running{engine="0",model_name="glm"} 1.0' not in (await asking.get("/metrics"))[1]:  # noqa: ASYNC110  # nothing tells
                await asyncio.sleep(0.01)
        assert (await asking.get("/health"))[0] == 200
        assert 'vllm:generation_tokens_total{engine="0",model_name="glm"} 0.0' in (await asking.get("/metrics"))[1]
        assert not asked.done()
        server.engine.breaks(hung=False)
        assert (await asked)[0] == 200


def _well() -> dict[str, Any]:
    return {
        "hung": False, "failing": False, "dead": False, "slow": 1.0, "waiting": 0, "waiting_per_second": 0.0,
        "kv_usage": None, "preemptions_per_second": 0.0, "drafts_refused": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("faults", "chat", "health"),
    [
        pytest.param({"failing": True}, 500, 200, id="errors while healthy"),
        pytest.param({"dead": True}, 500, 503, id="a dead engine core"),
        pytest.param({}, 200, 200, id="nothing"),
    ],
)
async def test_errors(faults: dict[str, Any], chat: int, health: int) -> None:
    async with serving() as (server, asking):
        server.engine.breaks(**faults)
        assert ((await asking.chat())[0], (await asking.get("/health"))[0]) == (chat, health)
        assert server.engine.totals.finished["error"] == (chat == 500)


async def test_a_fault_that_there_is_not_is_refused(glm: Asking) -> None:
    status, told = await glm.post("/sim/faults", {"sleepy": True})
    assert status == 400
    assert "hung" in told["error"]


async def test_a_full_batch_lets_requests_wait() -> None:
    async with serving("--max-num-seqs=2") as (server, asking):
        server.engine.breaks(hung=True)
        asked = [asyncio.create_task(asking.chat(max_tokens=2)) for _ in range(3)]
        async with asyncio.timeout(5):
            while (server.engine.running_now, server.engine.waiting_now) != (2, 1):  # noqa: ASYNC110  # nothing tells
                await asyncio.sleep(0.01)
        server.engine.breaks(hung=False)
        assert [status for status, _ in await asyncio.gather(*asked)] == [200, 200, 200]


async def test_a_client_that_goes_has_aborted() -> None:
    async with serving() as (server, asking):
        server.engine.breaks(hung=True)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await asking.chat()
        async with asyncio.timeout(5):
            while not server.engine.totals.finished["abort"]:  # noqa: ASYNC110  # nothing tells
                await asyncio.sleep(0.01)
        assert server.engine.running == 0


# ending


async def test_what_runs_may_end_after_sigterm_and_nobody_new_comes_in() -> None:
    async with serving("--shutdown-timeout=30") as (server, asking):
        server.engine.breaks(hung=True)
        asked = asyncio.create_task(asking.chat(max_tokens=2))
        async with asyncio.timeout(5):
            while not server.engine.running:  # noqa: ASYNC110  # nothing tells
                await asyncio.sleep(0.01)
        ending = asyncio.create_task(server.stop())
        async with asyncio.timeout(5), aiohttp.ClientSession() as other:
            while await _listens(other, server.url):  # noqa: ASYNC110  # nothing tells
                await asyncio.sleep(0.01)
        server.engine.breaks(hung=False)
        assert (await asked)[0] == 200
        await ending


async def _listens(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with session.get(f"{url}/health"):
            return True
    except aiohttp.ClientError:
        return False


async def test_without_a_timeout_what_runs_is_aborted() -> None:
    async with serving() as (server, asking):
        server.engine.breaks(hung=True)
        asked = asyncio.create_task(asking.chat())
        async with asyncio.timeout(5):
            while not server.engine.running:  # noqa: ASYNC110  # nothing tells
                await asyncio.sleep(0.01)
        async with asyncio.timeout(5):
            await server.stop()
        with pytest.raises(aiohttp.ClientError):
            await asked
