"""Asking a node's agent for one question: what came, what did not and why, by each way to it."""

import asyncio
import gzip
import json
import socket
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.cluster.access import Access
from bot.adapters.cluster.connection import Connection, plain
from bot.adapters.cluster.looker import ClusterLooker
from bot.adapters.nodes.access import NodeAccess, Via
from bot.adapters.nodes.reader import NodeReader
from bot.adapters.nodes.told import Told
from bot.domain.evidence import MetricsRef, NodeRef, Ref, Wanted
from tests.adapters.nodes.conftest import serving
from tests.adapters.nodes.fakes import NOW, TOKEN, UNROUTABLE, FakeAgent, FakeCluster, never, reading

AGENT, KERNEL = NodeRef("agent", "gpu-1"), NodeRef("kernel", "gpu-1")
EXPORTER = MetricsRef("gpu-operator", "dcgm-1")
WAYS = pytest.mark.parametrize("via", [Via.DIRECT, Via.PROXY, Via.AUTO])
Ask = Callable[..., Any]


@pytest.fixture
async def ask(cluster: FakeCluster) -> AsyncIterator[Ask]:
    """Asks with a reader of its own, as the settings given say."""
    async with plain(cluster.url) as connection:

        async def asks(ref: NodeRef | MetricsRef, seconds: float = 5, **settings: Any) -> Told:
            access = NodeAccess(**{"timeout_seconds": 5.0, **settings})
            return await NodeReader(connection, cluster.view, access, now=lambda: NOW).read(ref, seconds)

        yield asks


@pytest.fixture
def token_file(agent: FakeAgent, tmp_path: Path) -> str:
    agent.token = TOKEN
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    return str(file)


@WAYS
async def test_a_reading_comes_with_the_token(ask: Ask, token_file: str, via: Via) -> None:
    assert await ask(AGENT, via=via, token_file=token_file) == Told(reading())


@WAYS
async def test_kernel_messages_come_as_text(ask: Ask, agent: FakeAgent, via: Via) -> None:
    assert await ask(KERNEL, via=via) == Told(agent.pages["/kernel"])


@WAYS
async def test_an_exporter_tells_its_metrics_and_is_shown_no_token(
    ask: Ask, cluster: FakeCluster, agent: FakeAgent, token_file: str, via: Via
) -> None:
    agent.token, agent.pages["/metrics"] = "", b"DCGM_FI_DEV_GPU_TEMP 40\n"
    cluster.add(*EXPORTER, "gpu-1", {"metrics": agent.port}, labels={})
    assert await ask(EXPORTER, via=via, token_file=token_file) == Told(b"DCGM_FI_DEV_GPU_TEMP 40\n")
    assert not {"Authorization", "X-Gpubot-Token"} & set(agent.requests[0].headers)


async def test_an_exporter_without_a_named_port_is_asked_at_9400(ask: Ask, cluster: FakeCluster) -> None:
    cluster.add(*EXPORTER, "gpu-1", {}, labels={})
    await ask(EXPORTER, via=Via.PROXY)
    assert cluster.asked[-1] == "/api/v1/namespaces/gpu-operator/pods/dcgm-1:9400/proxy/metrics"


@WAYS
async def test_a_port_that_the_pod_does_not_name_is_the_settings(
    ask: Ask, cluster: FakeCluster, agent: FakeAgent, via: Via
) -> None:
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {})
    assert (await ask(AGENT, via=via, port=agent.port)).data == reading()


def answers(status: int = 200, body: bytes = b"", **headers: str) -> Callable[[FakeAgent], None]:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        del request
        return web.Response(status=status, body=body, headers={key.replace("_", "-"): v for key, v in headers.items()})

    return lambda agent: setattr(agent, "answer", answer)


def wants_token(agent: FakeAgent) -> None:
    agent.token = TOKEN


async def breaks_off(request: web.BaseRequest) -> web.StreamResponse:
    answer = web.StreamResponse(headers={"Content-Length": "1000"})
    await answer.prepare(request)
    await answer.write(b"half")
    assert request.transport is not None
    request.transport.abort()
    return answer


ODD = [
    pytest.param(wants_token, "its agent wants a token: nodes.token_file names none (401)", id="no token"),
    pytest.param(answers(404), "does not serve /reading: is it of another version?", id="another version's pages"),
    pytest.param(answers(500, b"<!channel>\x1b[1m oops"), "its agent answers 500: ‹!channel>[1m oops", id="an error"),
    pytest.param(answers(body=b"<html>"), "no JSON that an agent would write", id="rubbish"),
    pytest.param(answers(body=b"[" * 100_000), "no JSON that an agent would write", id="deep as a well"),
    pytest.param(answers(body=b"\xff\x00"), "no JSON that an agent would write", id="bytes"),
    pytest.param(answers(body=b"7"), "no JSON that an agent would write", id="a number"),
    pytest.param(answers(body=b" " * (10 * 2**20 + 1)), "the answer is longer than 10 MiB", id="ten megabytes"),
    pytest.param(answers(body=reading("gpu-2")), "the answer is about another node (gpu-2)", id="another node's"),
    pytest.param(answers(body=b"{" * 5), "no JSON", id="half an object"),
]
ODD_ON_THE_WIRE = [  # what a proxy in between makes something else of
    pytest.param(answers(302, Location="http://127.0.0.1:1/"), "its agent answers 302", id="a redirect"),
    pytest.param(lambda agent: setattr(agent, "answer", breaks_off), "breaks off", id="half an answer"),
]


@pytest.mark.parametrize(("odd", "why"), [*ODD, *ODD_ON_THE_WIRE])
async def test_what_an_agent_does_wrong_is_told_and_survived(
    ask: Ask, agent: FakeAgent, odd: Callable[[FakeAgent], None], why: str
) -> None:
    odd(agent)
    told = await ask(AGENT)
    assert told.data is None
    assert why in told.trouble


@pytest.mark.parametrize(("odd", "why"), ODD)
async def test_it_is_told_alike_through_the_api_server(
    ask: Ask, agent: FakeAgent, odd: Callable[[FakeAgent], None], why: str
) -> None:
    odd(agent)
    told = await ask(AGENT, via=Via.PROXY)
    assert told.data is None
    assert why in told.trouble


async def test_a_wrong_token_is_told_apart_from_none(ask: Ask, agent: FakeAgent, token_file: str) -> None:
    agent.token = "another-token-of-theirs"
    assert "does not accept the token of nodes.token_file" in (await ask(AGENT, token_file=token_file)).trouble


async def test_a_token_file_that_is_not_there_is_told(ask: Ask) -> None:
    assert "Cannot read the token file /nowhere" in (await ask(AGENT, token_file="/nowhere")).trouble


async def test_a_compressed_answer_is_not_unpacked(ask: Ask, agent: FakeAgent) -> None:
    answers(body=gzip.compress(reading()), Content_Encoding="gzip")(agent)
    assert (await ask(AGENT)).trouble == "the answer is compressed, which was not asked for"


@WAYS
async def test_an_agent_that_does_not_answer_is_waited_for_no_longer_than_asked(
    ask: Ask, agent: FakeAgent, via: Via
) -> None:
    agent.answer = never
    began = time.monotonic()
    assert (await ask(AGENT, 0.4, via=via)).trouble.startswith("no answer within 0.3")
    assert time.monotonic() - began < 2


async def test_an_agent_that_drips_is_given_up(ask: Ask, agent: FakeAgent) -> None:
    async def drip(request: web.BaseRequest) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        while True:
            await answer.write(b" ")
            await asyncio.sleep(0.02)

    agent.answer = drip
    assert (await ask(AGENT, 0.4)).trouble.startswith("no answer within 0.3")


def no_agent(cluster: FakeCluster) -> None:
    cluster.view.take("pods", "gpubot/gpubot-agent-1")


def elsewhere(cluster: FakeCluster) -> None:
    no_agent(cluster)
    cluster.add("llm", "gpubot-agent-1", "gpu-1", {"agent": 1})


def pending(cluster: FakeCluster) -> None:
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {}, phase="Pending")


def gone(cluster: FakeCluster) -> None:
    del cluster.pods["gpubot/gpubot-agent-1"]


def without_address(cluster: FakeCluster) -> None:
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {}, address="")


def name_as_address(cluster: FakeCluster) -> None:
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {}, address="evil.example/")


def moved(cluster: FakeCluster) -> None:
    cluster.pods["gpubot/gpubot-agent-1"]["spec"]["nodeName"] = "gpu-2"


def unread(cluster: FakeCluster) -> None:
    cluster.view.sources.clear()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param(no_agent, "no node agent to ask: no pod of gpubot there is labelled", id="no agent on the node"),
        pytest.param(elsewhere, "no node agent to ask: no pod of gpubot", id="only in a namespace of others"),
        pytest.param(pending, "its agent's pod gpubot/gpubot-agent-1 is Pending", id="not running yet"),
        pytest.param(gone, "the pod gpubot-agent-1 is not there", id="gone meanwhile"),
        pytest.param(without_address, "the pod gpubot-agent-1 has no address", id="no address yet"),
        pytest.param(name_as_address, "the pod gpubot-agent-1 has no address", id="an address that is none"),
        pytest.param(moved, "its agent's pod has moved to another node", id="the name is on another node now"),
        pytest.param(unread, "no node agent to ask: the cluster's pods are not known", id="pods are not known"),
    ],
)
async def test_where_there_is_nobody_to_ask_nobody_is_asked(
    ask: Ask, cluster: FakeCluster, agent: FakeAgent, change: Callable[[FakeCluster], None], why: str
) -> None:
    change(cluster)
    told = await ask(AGENT)
    assert told.data is None
    assert told.trouble.startswith(why)
    assert agent.requests == []


async def test_during_a_rollout_the_newest_agent_that_stays_is_asked(
    ask: Ask, cluster: FakeCluster, agent: FakeAgent
) -> None:
    cluster.add(
        "gpubot", "z-leaving", "gpu-1", {"agent": 1}, deleted="2026-06-01T01:00:00Z", created="2026-06-01T02:00:00Z"
    )
    cluster.add("gpubot", "z-pending", "gpu-1", {"agent": 1}, phase="Pending", created="2026-06-01T03:00:00Z")
    assert (await ask(AGENT)).data == reading()
    assert len(agent.requests) == 1


# ---- which way -------------------------------------------------------------------------------------------------------


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def test_where_nothing_listens_that_is_told(ask: Ask, cluster: FakeCluster) -> None:
    port = closed_port()
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {"agent": port})
    assert (await ask(AGENT)).trouble == f"nothing listens at 127.0.0.1:{port}"
    assert not any("proxy" in path for path in cluster.asked)


async def test_where_the_api_server_reaches_nobody_that_is_told(ask: Ask, cluster: FakeCluster) -> None:
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {"agent": closed_port()})
    assert (await ask(AGENT, via=Via.PROXY)).trouble.startswith("the API server cannot reach it: error trying to reach")


async def test_both_ways_that_fail_are_told(ask: Ask, cluster: FakeCluster) -> None:
    port, cluster.proxy_allowed = closed_port(), False
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {"agent": port})
    assert (await ask(AGENT, via=Via.AUTO)).trouble == (
        f"nothing listens at 127.0.0.1:{port}; through the API server: the API server forbids it (get pods/proxy): "
        'User "bot" cannot get resource "pods/proxy"'
    )


async def test_pods_out_of_reach_are_asked_through_the_api_server_and_at_once_the_next_time(
    cluster: FakeCluster, agent: FakeAgent
) -> None:
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {"agent": agent.port}, address=UNROUTABLE)
    access = NodeAccess(via=Via.AUTO, timeout_seconds=3)
    async with plain(cluster.url) as connection:
        reader = NodeReader(connection, cluster.view, access, now=lambda: NOW)
        assert (await reader.read(AGENT, 5)).data == reading()
        cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {"agent": agent.port})  # in reach: yet not tried so soon
        assert (await reader.read(AGENT, 5)).data == reading()
    assert sum("proxy" in path for path in cluster.asked) == 2


async def test_an_agent_that_refuses_is_not_asked_again_by_the_other_way(
    ask: Ask, cluster: FakeCluster, agent: FakeAgent
) -> None:
    agent.token = TOKEN
    assert "wants a token" in (await ask(AGENT, via=Via.AUTO)).trouble
    assert not any("proxy" in path for path in cluster.asked)


async def test_an_agent_that_refuses_the_token_is_no_reason_to_renew_our_credentials(
    cluster: FakeCluster, agent: FakeAgent
) -> None:
    agent.token, renewed = TOKEN, []
    access = Access(base_url=cluster.url, described="the test")

    async def load() -> Access:
        renewed.append(1)
        return access

    async with Connection(access, load) as connection:
        reader = NodeReader(connection, cluster.view, NodeAccess(via=Via.PROXY), now=lambda: NOW)
        assert "wants a token" in (await reader.read(AGENT, 5)).trouble
    assert renewed == []


async def test_a_proxy_of_the_environment_does_not_see_the_token(
    ask: Ask, token_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    assert (await ask(AGENT, token_file=token_file)).data == reading()


# ---- as evidence -----------------------------------------------------------------------------------------------------


async def look(cluster: FakeCluster, *refs: Ref, **settings: Any) -> Any:
    async with plain(cluster.url) as connection:
        reader = NodeReader(connection, cluster.view, NodeAccess(**settings), now=lambda: NOW)
        return await ClusterLooker(connection, reader).look(Wanted(refs), 5)


async def test_a_look_has_readings_and_kernel_messages_as_texts(cluster: FakeCluster, agent: FakeAgent) -> None:
    missing = NodeRef("agent", "gpu-9")
    found = await look(cluster, AGENT, KERNEL, missing)
    assert found.agent("gpu-1") == reading().decode()
    assert found.kernel("gpu-1") == agent.pages["/kernel"].decode()
    assert set(found.missing) == {missing}


async def test_a_reading_that_is_odd_is_there_with_what_is_odd(cluster: FakeCluster, agent: FakeAgent) -> None:
    agent.pages["/reading"] = reading(agentVersion="99.0.0")
    found = await look(cluster, AGENT)
    assert json.loads(found.agent("gpu-1"))["gpus"]
    assert "its agent is of version 99.0.0" in found.missing[AGENT]


async def test_slow_nodes_do_not_hold_back_others(cluster: FakeCluster, agent: FakeAgent) -> None:
    async def slow(request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.Event().wait()
        return web.Response(text=request.path)

    async with serving(slow) as port:
        for number in range(2, 12):
            cluster.add("gpubot", f"slow-{number}", f"gpu-{number}", {"agent": port})
        refs = [NodeRef("agent", f"gpu-{number}") for number in range(11, 0, -1)]
        found = await look(cluster, *refs, timeout_seconds=1.5)
    assert set(found.texts) == {AGENT}
    assert set(found.missing.values()) == {found.missing[refs[0]]}
    assert found.missing[refs[0]].startswith("no answer within")
