"""Reading all engines in one go: each answers for itself, slow and odd ones cost only themselves, all ends in time."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.cluster.connection import plain
from bot.adapters.engines.access import EngineAccess
from bot.adapters.engines.scraper import Scraper
from bot.adapters.nodes.access import Via
from bot.domain.engine import EngineReading, Way
from bot.domain.engine_told import Said
from bot.domain.pod import Pod
from bot.serving.engine_pods import Hint
from tests.adapters.engines.fakes import FakeEngine, add, page
from tests.adapters.nodes.fakes import NOW, FakeCluster, never

Around = tuple[FakeCluster, FakeEngine]


async def read(
    cluster: FakeCluster, pods: Sequence[Pod] | None = None, times: int = 1, **settings: Any
) -> dict[str, Said]:
    """By the pod's name."""
    asked = list(cluster.view.pods.values()) if pods is None else pods
    async with plain(cluster.url) as connection:
        scraper = Scraper(connection, EngineAccess(**settings), now=lambda: NOW)
        for _ in range(times):
            said = await scraper.read(asked)
    return {uid.removeprefix("uid-"): one for uid, one in said.items()}


async def test_an_engine_tells(around: Around) -> None:
    cluster, engine = around
    told = (await read(cluster))["glm-0"]
    assert isinstance(told, EngineReading)
    assert (told.engine, told.running, told.generated_tokens) == ("vllm", 2, 1000)
    assert (told.taken_at, told.way) == (NOW, Way.DIRECT)
    assert engine.paths == ["/metrics"]


async def test_through_the_api_server(around: Around) -> None:
    cluster, engine = around
    told = (await read(cluster, via=Via.PROXY))["glm-0"]
    assert isinstance(told, EngineReading)
    assert told.way is Way.PROXY
    assert cluster.asked[-1] == f"/api/v1/namespaces/llm/pods/glm-0:{engine.port}/proxy/metrics"


async def test_one_that_speaks_tls_is_asked_by_the_api_server_even_so(around: Around) -> None:
    cluster, engine = around
    add(
        cluster, "glm-0", engine.port, command=["vllm", "serve", "--port", str(engine.port), "--ssl-certfile", "/c.pem"]
    )
    await read(cluster)
    assert cluster.asked[-1] == f"/api/v1/namespaces/llm/pods/https:glm-0:{engine.port}/proxy/metrics"


async def answers(status: int, text: str = "") -> web.Response:
    return web.Response(status=status, text=text)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(lambda _: answers(500, "boom <!channel>"), "the pod glm-0 answers 500: boom ‹!channel>", id="500"),
        pytest.param(
            lambda _: answers(404), "the pod glm-0 does not serve /metrics: is it of another version?", id="404"
        ),
        pytest.param(lambda _: answers(200, "<html>"), "its metrics are none of an engine", id="another page"),
        pytest.param(
            lambda _: answers(200, "x" * 200_000), "the answer is longer than 0.125 MiB", id="more than is read"
        ),
        pytest.param(never, "no answer within 0.3 s", id="an engine that never answers"),
    ],
)
async def test_what_is_no_answer_is_told_as_such(around: Around, answer: Any, reason: str) -> None:
    cluster, engine = around
    engine.answer = answer
    told = (await read(cluster, timeout_seconds=0.3, page_max_bytes=2**17))["glm-0"]
    assert (told.trouble if isinstance(told, EngineReading) else told).startswith(reason)


async def dribbling(request: web.BaseRequest) -> web.StreamResponse:
    """A byte now and then keeps every socket's timeout away."""
    answer = web.StreamResponse()
    await answer.prepare(request)
    while True:
        await answer.write(b"#")
        await asyncio.sleep(0.02)


async def test_a_page_that_never_ends_costs_one_deadline(around: Around) -> None:
    cluster, engine = around
    engine.answer = dribbling
    assert (await read(cluster, timeout_seconds=0.3))["glm-0"] == "no answer within 0.3 s"


async def test_slow_ones_cost_only_themselves(around: Around) -> None:
    cluster, engine = around
    for number in range(1, 40):
        add(cluster, f"glm-{number}", engine.port)

    async def some(request: web.BaseRequest) -> web.StreamResponse:
        return await never(request) if len(engine.paths) % 10 == 0 else web.Response(body=page())

    engine.answer = some
    began = time.monotonic()
    told = await read(cluster, at_once=8, timeout_seconds=0.4)
    assert time.monotonic() - began < 3
    assert sum(isinstance(one, EngineReading) for one in told.values()) == 36
    assert list(told.values()).count("no answer within 0.4 s") == 4
    assert engine.most <= 8


async def test_all_of_them_have_one_deadline_too(around: Around) -> None:
    cluster, engine = around
    engine.answer = never
    began = time.monotonic()
    told = await read(cluster, timeout_seconds=60, within_seconds=0.3)
    assert time.monotonic() - began < 3
    assert told == {"glm-0": "no answer within 0.3 s, in which all engines are asked"}


async def test_where_they_listen_is_looked_up_once(around: Around) -> None:
    cluster, engine = around
    for number in range(1, 3):
        add(cluster, f"glm-{number}", engine.port)
    await read(cluster, times=3)
    assert sorted(cluster.asked) == [f"/api/v1/namespaces/llm/pods/glm-{number}" for number in range(3)]


async def test_many_of_a_namespace_are_looked_up_by_a_list(around: Around) -> None:
    cluster, engine = around
    for number in range(1, 30):
        add(cluster, f"glm-{number}", engine.port)
    cluster.page_pods = 10
    told = await read(cluster, times=2)
    assert all(isinstance(one, EngineReading) for one in told.values())
    assert cluster.asked == ["/api/v1/namespaces/llm/pods"] * 3


async def test_one_that_has_moved_is_looked_up_again(around: Around) -> None:
    cluster, engine = around
    add(cluster, "glm-0", 1)  # nothing listens there
    async with plain(cluster.url) as connection:
        scraper = Scraper(connection, EngineAccess(), now=lambda: NOW)
        pods = list(cluster.view.pods.values())
        assert await scraper.read(pods) == {"uid-glm-0": "nothing listens at 127.0.0.1:1"}
        add(cluster, "glm-0", engine.port)
        assert isinstance((await scraper.read(pods))["uid-glm-0"], EngineReading)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        pytest.param({"address": ""}, "it has no address", id="a pod without an address"),
        pytest.param({"address": "metrics.example.org"}, "it has no address", id="an address that is a name"),
    ],
)
async def test_what_cannot_be_asked(around: Around, changed: dict[str, Any], reason: str) -> None:
    cluster, engine = around
    add(cluster, "glm-0", engine.port, **changed)
    told = (await read(cluster, timeout_seconds=0.3))["glm-0"]
    assert isinstance(told, str)
    assert told.startswith(reason)


async def test_settings_tell_of_one_that_nobody_recognises(around: Around) -> None:
    cluster, engine = around
    labels = {"app": "ours"}
    add(cluster, "glm-0", 1, image="registry.local/ours:7", command=["./serve"], labels=labels)
    hint = Hint(labels, port=engine.port, path="/stats")
    assert isinstance((await read(cluster, hints=(hint,)))["glm-0"], EngineReading)
    assert engine.paths == ["/stats"]


async def test_an_api_server_that_refuses_is_named(around: Around) -> None:
    cluster, _ = around
    cluster.pods.clear()
    assert (await read(cluster))["glm-0"] == "it is not there any more"


async def test_sglang_is_told_how_it_serves_metrics(around: Around) -> None:
    cluster, engine = around
    add(cluster, "glm-0", engine.port, image="lmsysorg/sglang:v0.5.23")
    engine.answer = lambda _: answers(404)
    told = (await read(cluster))["glm-0"]
    assert isinstance(told, str)
    assert told.endswith("SGLang serves it with --enable-metrics only")
