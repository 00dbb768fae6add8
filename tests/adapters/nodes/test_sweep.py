"""Reading all agents in one go: all are told of, few are asked at once, and it ends in time."""

import asyncio
import json
import time

from aiohttp import web

from bot.adapters.cluster.connection import plain
from bot.adapters.nodes.access import NodeAccess, Via
from bot.adapters.nodes.sweep import AT_ONCE, READING_MAX_BYTES, Sweep
from bot.adapters.nodes.told import Told
from tests.adapters.nodes.fakes import NOW, FakeAgent, FakeCluster, never, reading

NODES = [f"gpu-{number}" for number in range(1, 3 * AT_ONCE)]


async def swept(
    cluster: FakeCluster, nodes: list[str], seconds: float = 10, via: Via = Via.DIRECT, **settings: object
) -> dict[str, Told]:
    access = NodeAccess(via=via, **settings)  # type: ignore[arg-type]  # fields by name
    async with plain(cluster.url) as connection:
        return await Sweep(connection, access, now=lambda: NOW).read_all(nodes, seconds)


def fill(cluster: FakeCluster, agent: FakeAgent, nodes: list[str]) -> None:
    for node in nodes:
        cluster.add("gpubot", f"agent-of-{node}", node, {"agent": agent.port})


async def nameless(request: web.BaseRequest) -> web.StreamResponse:
    """One agent stands for all."""
    del request
    await asyncio.sleep(0.005)
    return web.Response(body=json.dumps({"gpus": [{"index": 0}]}))


async def test_all_are_told_of_in_order_from_a_list_of_several_pages(cluster: FakeCluster, agent: FakeAgent) -> None:
    fill(cluster, agent, NODES)
    agent.answer, cluster.page_pods = nameless, 50
    told = await swept(cluster, [*NODES, "gpu-unknown", NODES[0]])
    assert list(told) == [*NODES, "gpu-unknown"]
    assert told.pop("gpu-unknown") == Told(trouble="no node agent to ask")
    assert {one.trouble for one in told.values()} == {""}
    assert cluster.asked == ["/api/v1/namespaces/gpubot/pods"] * 3
    assert 1 < agent.most <= AT_ONCE


async def test_through_the_api_server_too(cluster: FakeCluster, agent: FakeAgent) -> None:
    agent.answer = nameless
    assert (await swept(cluster, ["gpu-1"], via=Via.PROXY))["gpu-1"].data
    assert cluster.asked[-1].endswith("/proxy/reading")


async def test_agents_that_do_not_answer_cost_their_own_time_only(cluster: FakeCluster, agent: FakeAgent) -> None:
    fill(cluster, agent, NODES)

    async def some(request: web.BaseRequest) -> web.StreamResponse:
        return await (never if len(agent.requests) % 10 == 0 else nameless)(request)

    agent.answer = some
    told = await swept(cluster, NODES, timeout_seconds=1.5)
    silent = [one for one in told.values() if one.data is None]
    assert {one.trouble for one in silent} == {"no answer within 1.5 s"}
    assert 0 < len(silent) < len(NODES) / 5


async def test_it_ends_in_time_with_what_came_until_then(cluster: FakeCluster, agent: FakeAgent) -> None:
    fill(cluster, agent, NODES[:4])

    async def one(request: web.BaseRequest) -> web.StreamResponse:
        return await (nameless if len(agent.requests) == 1 else never)(request)

    agent.answer = one
    began = time.monotonic()
    told = await swept(cluster, NODES, 2.0, timeout_seconds=30)
    assert time.monotonic() - began < 6
    assert sum(one.data is not None for one in told.values()) == 1
    assert {one.trouble for one in told.values()} == {"", "no answer within 2 s", "no node agent to ask"}


async def test_of_two_agents_on_a_node_the_one_that_stays_is_asked(cluster: FakeCluster, agent: FakeAgent) -> None:
    cluster.add(
        "gpubot", "a-leaving", "gpu-1", {"agent": 1}, deleted="2026-06-01T01:00:00Z", created="2026-06-02T00:00:00Z"
    )
    cluster.add(
        "gpubot", "z-leaving", "gpu-1", {"agent": 1}, deleted="2026-06-01T01:00:00Z", created="2026-06-02T00:00:00Z"
    )
    assert (await swept(cluster, ["gpu-1"]))["gpu-1"] == Told(reading())


async def test_a_reading_beyond_a_megabyte_is_not_kept(cluster: FakeCluster, agent: FakeAgent) -> None:
    agent.pages["/reading"] = b" " * (READING_MAX_BYTES + 1)
    assert (await swept(cluster, ["gpu-1"]))["gpu-1"] == Told(trouble="the answer is longer than 1 MiB")


async def test_pods_that_cannot_be_listed_are_told_of_each_node(cluster: FakeCluster) -> None:
    async with plain("http://127.0.0.1:1") as connection:
        told = await Sweep(connection, NodeAccess(), now=lambda: NOW).read_all(["gpu-1", "gpu-2"], 5)
    assert all(one.trouble.startswith("agents cannot be listed: ") for one in told.values())
    assert (await swept(cluster, ["gpu-1"], token_file="/nowhere"))["gpu-1"].trouble.startswith("Cannot read the token")


async def test_no_nodes_is_nobody(cluster: FakeCluster) -> None:
    assert await swept(cluster, []) == {}
