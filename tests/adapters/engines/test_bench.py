"""A load on an engine: as many at once as asked, no more than allowed, timed by its stream, told where it fails."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace

import pytest
from aiohttp import web

from bot.adapters.cluster.connection import plain
from bot.adapters.engines.bench import EngineLoader
from bot.domain.bench import Load
from bot.domain.errors import ClusterError, ConflictError

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LOAD = Load("llm", "glm-0", "glm", 0, "127.0.0.1", concurrencies=(1, 4), seconds=10, requests=22, answer_tokens=5)


@dataclass
class Engine:
    """Streams as many tokens as it is asked for. `status`: what it answers instead; `silent`: it never begins."""

    status: int = 200
    silent: bool = False
    fails_after: int = 10**6
    port: int = 0
    asked: int = 0
    now: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        self.bodies: list[dict[str, object]] = []
        self.paths: list[str] = []
        self.begun, self.hold = asyncio.Event(), asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked, self.now = self.asked + 1, self.now + 1
        self.most = max(self.most, self.now)
        self.begun.set()
        try:
            return await self._answer(request, await request.json())
        finally:
            self.now -= 1

    async def _answer(self, request: web.Request, body: dict[str, object]) -> web.StreamResponse:
        self.bodies.append(body)
        self.paths.append(request.path)
        if self.silent:
            await self.hold.wait()
        if self.status != 200 or self.asked > self.fails_after:
            return web.Response(status=self.status if self.status != 200 else 500)
        tokens = body["max_tokens"]
        assert isinstance(tokens, int)
        usage = {"completion_tokens": tokens}
        assert body["stream"] is True
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for _ in range(tokens - 1):  # two of its tokens make one piece of text
            await response.write(f"data: {json.dumps({'choices': [{'text': 'x'}], 'usage': None})}\n\n".encode())
            await asyncio.sleep(0.002)
        await response.write(f"data: {json.dumps({'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n".encode())
        return response


@pytest.fixture
async def started() -> AsyncIterator[Callable[[Engine], Awaitable[str]]]:
    """Starts an engine, which also stands for the API server in front of it; its address."""
    runners = []

    async def start(engine: Engine) -> str:
        app = web.Application()
        app.router.add_post("/{path:.*}", engine.answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        runners.append(runner)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        engine.port = runner.addresses[0][1]
        return f"http://127.0.0.1:{engine.port}"

    yield start
    for runner in runners:
        await runner.cleanup()


Start = Callable[[Engine], Awaitable[str]]


async def test_each_concurrency_is_kept_and_the_requests_are_bounded(started: Start) -> None:
    engine = Engine()
    async with plain(await started(engine)) as connection:
        way, points = await EngineLoader(connection).measure(replace(LOAD, port=engine.port))
    assert way == "direct"
    assert [point.concurrency for point in points] == [1, 4]
    assert engine.most == 4
    assert engine.asked <= LOAD.requests
    assert sum(point.requests for point in points) == engine.asked - 1, "the first only shows that it answers"
    assert engine.paths[0] == "/v1/completions"


async def test_tokens_are_the_engines_own_count_and_first_tokens_are_timed(started: Start) -> None:
    engine = Engine()
    async with plain(await started(engine)) as connection:
        _, points = await EngineLoader(connection).measure(replace(LOAD, port=engine.port))
    for point in points:
        assert point.tokens == 5 * point.requests, "pieces of text are fewer"
        assert point.first_token is not None
        assert point.whole is not None
        assert 0 < point.first_token[0] < point.whole[0] <= point.whole[1]
        assert point.between is not None
        assert point.tokens_per_second > 0


async def test_no_prompt_comes_twice_so_that_no_cache_answers(started: Start) -> None:
    engine = Engine()
    async with plain(await started(engine)) as connection:
        await EngineLoader(connection).measure(replace(LOAD, port=engine.port))
    prompts = [body["prompt"] for body in engine.bodies]
    assert len(set(map(str, prompts))) == len(prompts)
    assert all(body["ignore_eos"] is True and body["max_tokens"] == 5 for body in engine.bodies)


async def test_a_pod_out_of_reach_is_asked_through_the_api_server(started: Start) -> None:
    engine = Engine()
    async with plain(await started(engine)) as connection:
        way, points = await EngineLoader(connection).measure(replace(LOAD, port=8000, address=""))
    assert way == "proxy"
    assert engine.paths[0] == "/api/v1/namespaces/llm/pods/glm-0:8000/proxy/v1/completions"
    assert all(point.first_token is not None and point.whole is not None for point in points)
    assert all(point.tokens == 5 * point.requests for point in points)


@pytest.mark.parametrize(
    ("status", "says"),
    [
        pytest.param(401, "the engine wants an API key", id="an engine that wants a key"),
        pytest.param(403, "create pods/proxy", id="rights that are missing"),
        pytest.param(404, "no completions there", id="an engine without completions"),
        pytest.param(503, "the engine answers 503", id="an engine that is not there yet"),
    ],
)
async def test_an_engine_that_refuses_is_told_and_left_alone(started: Start, status: int, says: str) -> None:
    engine = Engine(status=status)
    async with plain(await started(engine)) as connection:
        with pytest.raises(ClusterError, match=says):
            await EngineLoader(connection).measure(replace(LOAD, port=engine.port))
    assert engine.asked == 2, "once directly, once through the API server"


async def test_an_engine_that_breaks_under_load_is_spared_the_rest(started: Start) -> None:
    engine = Engine(fails_after=2)
    async with plain(await started(engine)) as connection:
        _, points = await EngineLoader(connection).measure(replace(LOAD, port=engine.port))
    assert [point.concurrency for point in points] == [1]
    assert points[0].failed > points[0].requests
    assert points[0].trouble == "the engine answers 500"


async def test_one_engine_is_measured_by_one_at_a_time(started: Start) -> None:
    engine = Engine(silent=True)
    async with plain(await started(engine)) as connection:
        loader, load = EngineLoader(connection), replace(LOAD, port=engine.port)
        first = asyncio.create_task(loader.measure(load))
        await engine.begun.wait()
        with pytest.raises(ConflictError, match="measured already"):
            await loader.measure(load)
        engine.silent = False
        engine.hold.set()
        await first
        await loader.measure(load)  # and again once that is over


async def test_what_is_not_done_in_time_is_cut_and_not_counted(started: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.adapters.engines.bench.GRACE_SECONDS", 0.0)
    engine = Engine()
    url = await started(engine)
    async with plain(url) as connection:
        loader, load = EngineLoader(connection), replace(LOAD, port=engine.port, concurrencies=(2,), seconds=1)
        task = asyncio.create_task(loader.measure(load))
        await engine.begun.wait()
        engine.silent = True
        _, points = await task
        engine.hold.set()
    assert points[0].cut + points[0].failed > 0
    assert points[0].seconds < 3
