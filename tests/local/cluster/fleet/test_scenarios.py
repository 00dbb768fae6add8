import asyncio

import aiohttp
import pytest

from bot.local.cluster import LocalCluster
from tests.local.cluster.fleet.counting import GPU, take


async def counted(scenario):
    cluster = LocalCluster(scenario=scenario)
    await cluster.start()
    try:
        return await take(cluster)
    finally:
        await cluster.stop()


async def test_healthy_has_nothing_broken_and_nothing_pending():
    count = await counted("healthy")
    assert count.unready() == []
    assert count.pods["llm/glm-0"]["spec"]["nodeName"] == "gpu-7"
    for node in count.nodes.values():
        assert node["status"]["capacity"].get(GPU) == node["status"]["allocatable"].get(GPU)


async def test_storm_loses_many_gpus():
    count = await counted("storm")
    lost = {
        name: int(node["status"]["capacity"].get(GPU, 0)) - int(node["status"]["allocatable"].get(GPU, 0))
        for name, node in count.nodes.items()
    }
    assert sum(lost.values()) == 15
    assert len([name for name, number in lost.items() if number]) == 12
    ready = {n: c["status"] for n, o in count.nodes.items() for c in o["status"]["conditions"] if c["type"] == "Ready"}
    assert [name for name, status in ready.items() if status != "True"] == ["a10-3"]
    assert {"node.kubernetes.io/unreachable"} == {t["key"] for t in count.nodes["a10-3"]["spec"]["taints"]}


async def test_empty_has_no_gpu():
    count = await counted("empty")
    assert all(GPU not in node["status"]["capacity"] for node in count.nodes.values())
    assert len(count.unready()) == 1


async def test_starting_is_quick_and_stopping_leaves_nothing():
    cluster = LocalCluster()
    async with asyncio.timeout(10):  # 1.2 s on an idle machine
        await cluster.start()
    kubeconfig = cluster.kubeconfig_path
    assert kubeconfig.exists()
    await cluster.stop()
    assert not kubeconfig.exists()
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectionError):
            await session.get(cluster.url)


def test_scenarios_are_listed():
    assert LocalCluster.scenarios() == ["big", "default", "empty", "healthy", "storm"]
