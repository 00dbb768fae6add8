"""Looking things up for one question: what came, what did not and why, and never later than asked."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.cluster.connection import plain
from bot.adapters.cluster.looker import AT_ONCE, LOG_LINES, ClusterLooker
from bot.domain.evidence import LOG_MAX_BYTES, LogRef, MetricsRef, NodeRef, ObjectRef, Ref, Wanted

POD = ObjectRef("Pod", "llm", "glm-0")
LOG = LogRef("llm", "glm-0", "vllm")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """Answers by path; everything else is not there."""

    def __init__(self) -> None:
        self.answers: dict[str, Handler] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.now = 0
        self.most = 0
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.raw_path.partition("?")[0], dict(request.query)))
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            handler = self.answers.get(request.path)
            return await handler(request) if handler else refusal(404, "NotFound", "not found")
        finally:
            self.now -= 1


def refusal(status: int, reason: str, message: str) -> web.Response:
    body = {"kind": "Status", "code": status, "reason": reason, "message": message}
    return web.json_response(body, status=status)


def says(body: Any, status: int = 200) -> Handler:
    async def handler(request: web.Request) -> web.Response:
        del request
        if isinstance(body, (str, bytes)):
            return web.Response(body=body, status=status)
        return web.json_response(body, status=status)

    return handler


async def never(request: web.Request) -> web.Response:
    del request
    await asyncio.Event().wait()
    raise AssertionError


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    scripted = Server()
    app = web.Application()
    app.router.add_get("/{path:.*}", scripted.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    scripted.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"  # type: ignore[union-attr]
    yield scripted
    await runner.cleanup()


async def look(server: Server, *refs: Ref, seconds: float = 5) -> Any:
    async with plain(server.url) as connection:
        return await ClusterLooker(connection).look(Wanted(refs), seconds)


POD_PATH = "/api/v1/namespaces/llm/pods/glm-0"
LOG_PATH = f"{POD_PATH}/log"


async def test_an_object_comes_whole(server: Server) -> None:
    server.answers[POD_PATH] = says({"spec": {"nodeName": "gpu-1"}})
    found = await look(server, POD)
    assert found.object("Pod", "llm", "glm-0").text("spec", "nodeName") == "gpu-1"
    assert found.missing == {}


async def test_a_log_comes_by_container_and_capped(server: Server) -> None:
    server.answers[LOG_PATH] = says("one\ntwo\n")
    found = await look(server, LOG, LOG._replace(previous=True))
    assert found.log("llm", "glm-0", "vllm") == "one\ntwo\n"
    assert found.log("llm", "glm-0", "vllm", previous=True) == "one\ntwo\n"
    queries = sorted((query for _, query in server.asked), key=len)
    assert queries[0]["container"] == "vllm"
    assert queries[0]["tailLines"] == str(LOG_LINES)
    assert int(queries[0]["limitBytes"]) >= LOG_MAX_BYTES
    assert "previous" not in queries[0]
    assert queries[1]["previous"] == "true"


async def test_of_a_long_log_the_end_is_kept_from_a_whole_line_on(server: Server) -> None:
    lines = [f"line {number} {'x' * 1_000}" for number in range(600)]
    server.answers[LOG_PATH] = says("\n".join([*lines, "the last words"]))
    text = (await look(server, LOG)).log("llm", "glm-0", "vllm")
    assert len(text) <= LOG_MAX_BYTES
    assert text.startswith("line ")
    assert text.endswith("the last words")


async def test_a_log_in_broken_utf8_is_read(server: Server) -> None:
    server.answers[LOG_PATH] = says(b"\xff\xfe broken \x00")
    assert "broken" in (await look(server, LOG)).log("llm", "glm-0", "vllm")


@pytest.mark.parametrize(
    ("handler", "why"),
    [
        pytest.param(None, "not there", id="not there"),
        pytest.param(
            lambda _: _later(refusal(403, "Forbidden", 'pods "glm-0" is forbidden: User "bot" cannot get')),
            'pods "glm-0" is forbidden: User "bot" cannot get',
            id="forbidden",
        ),
        pytest.param(
            lambda _: _later(refusal(400, "BadRequest", "previous terminated container not found")),
            "previous terminated container not found",
            id="no such container",
        ),
        pytest.param(lambda _: _later(refusal(500, "", "")), "refused with 500", id="no words"),
        pytest.param(says("[1, 2]"), "came as something else than an object", id="no object"),
        pytest.param(says("{"), "came as something else than an object", id="half an object"),
        pytest.param(says("[" * 100_000), "came as something else than an object", id="deep as a well"),
        pytest.param(never, "no answer within 0.2 s", id="no answer"),
    ],
)
async def test_what_does_not_come_is_missing_with_the_reason(server: Server, handler: Handler | None, why: str) -> None:
    if handler is not None:
        server.answers[POD_PATH] = handler
    found = await look(server, POD, seconds=0.2 if handler is never else 5)
    assert found.missing == {POD: why}
    assert not found.object("Pod", "llm", "glm-0")


async def _later(answer: web.Response) -> web.Response:
    return answer


async def test_late_answers_do_not_hold_back_those_in_time(server: Server) -> None:
    server.answers[POD_PATH] = says({"spec": {}, "status": {"phase": "Pending"}})
    server.answers[LOG_PATH] = never
    began = time.monotonic()
    found = await look(server, POD, LOG, seconds=0.3)
    assert time.monotonic() - began < 3
    assert found.object("Pod", "llm", "glm-0").text("status", "phase") == "Pending"
    assert found.missing == {LOG: "no answer within 0.3 s"}


async def test_a_log_that_ends_half_way_is_missing(server: Server) -> None:
    async def half(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Length": "1000"})
        await answer.prepare(request)
        await answer.write(b"half")
        assert request.transport is not None
        request.transport.abort()
        return answer

    server.answers[LOG_PATH] = half
    assert set((await look(server, LOG)).missing) == {LOG}


async def test_no_server_at_all_is_told() -> None:
    async with plain("http://127.0.0.1:1") as connection:
        found = await ClusterLooker(connection).look(Wanted((POD,)), 5)
    assert "127.0.0.1:1" in found.missing[POD] or "Connect" in found.missing[POD]


@pytest.mark.parametrize(
    ("ref", "why"),
    [
        (NodeRef("kernel", "gpu-1"), "no node agent to ask"),
        (NodeRef("agent", "gpu-1"), "no node agent to ask"),
        (MetricsRef("llm", "glm-0"), "no node agent to ask"),
        (ObjectRef("Secret", "llm", "token"), "gpubot does not read this kind"),
    ],
)
async def test_what_an_api_server_does_not_have_is_not_asked(server: Server, ref: Ref, why: str) -> None:
    found = await look(server, ref)
    assert found.missing == {ref: why}
    assert server.asked == []


@pytest.mark.parametrize(
    ("ref", "path"),
    [
        (ObjectRef("Node", "", "gpu-1"), "/api/v1/nodes/gpu-1"),
        (ObjectRef("ConfigMap", "llm", "conf"), "/api/v1/namespaces/llm/configmaps/conf"),
        (ObjectRef("Deployment", "llm", "glm"), "/apis/apps/v1/namespaces/llm/deployments/glm"),
        (ObjectRef("Pod", "l/m", "a b?c"), "/api/v1/namespaces/l%2Fm/pods/a%20b%3Fc"),
        (LogRef("l/m", "p/../x", "c&d"), "/api/v1/namespaces/l%2Fm/pods/p%2F..%2Fx/log"),
    ],
)
async def test_paths_are_made_of_names_that_cannot_leave_them(server: Server, ref: Ref, path: str) -> None:
    await look(server, ref)
    assert [asked for asked, _ in server.asked] == [path]


async def test_a_cluster_is_asked_a_few_things_at_once(server: Server) -> None:
    names = [f"p-{index}" for index in range(3 * AT_ONCE)]

    async def slow(request: web.Request) -> web.Response:
        await asyncio.sleep(0.01)
        return web.json_response({"metadata": {"name": request.path.rpartition("/")[2]}})

    for name in names:
        server.answers[f"/api/v1/namespaces/llm/pods/{name}"] = slow
    found = await look(server, *(ObjectRef("Pod", "llm", name) for name in names))
    assert len(found.objects) == len(names)
    assert 1 < server.most <= AT_ONCE


async def test_nothing_wanted_is_nothing_asked(server: Server) -> None:
    found = await look(server)
    assert (found.objects, found.texts, found.missing, server.asked) == ({}, {}, {}, [])
