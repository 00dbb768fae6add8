"""A change from its slash command to its undo, as people do it in the demo: typed, clicked, seen on the cluster."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.demo.people import ANA, BEN, DORA, OPS
from bot.demo.stage import Options, Stage, stage
from bot.local.cluster import LocalCluster
from bot.local.workspace import Message

SECONDS = 15


@pytest.fixture
async def demo() -> AsyncIterator[Stage]:
    async with stage(Options()) as running:
        yield running


def saying(demo: Stage, words: str, who: str = ANA) -> Message | None:
    """The message in the channel, as it is now, whose text has those words."""
    return next((one for one in demo.workspace.messages(OPS, who) if words in one.text), None)


async def until(demo: Stage, words: str, who: str = ANA) -> Message:
    async with asyncio.timeout(SECONDS):
        while (found := saying(demo, words, who)) is None:  # noqa: ASYNC110  # nothing tells
            await asyncio.sleep(0.05)
    return found


async def cordoned(demo: Stage, name: str, wanted: bool) -> None:
    async with asyncio.timeout(SECONDS):
        while demo.app.clusters["demo"].view.nodes[name].unschedulable is not wanted:  # noqa: ASYNC110  # nothing tells
            await asyncio.sleep(0.05)


async def test_a_cordon_is_asked_for_done_at_a_click_and_undone_at_another(demo: Stage) -> None:
    await demo.workspace.slash(BEN, OPS, "/gpu node cordon gpu-3 because a fan is changed")
    asked = await until(demo, "Change 1: cordon gpu-3")
    await demo.workspace.click(BEN, asked.ts, "change-0")
    await cordoned(demo, "gpu-3", True)
    done = await until(demo, "Done: change 1, cordon gpu-3")
    assert done.ts == asked.ts, "the same message tells how it went"
    await demo.workspace.click(BEN, done.ts, "change")
    await cordoned(demo, "gpu-3", False)
    await until(demo, "Undone: change 1")


async def test_whoever_only_reads_is_shown_the_plan_and_refused(demo: Stage) -> None:
    await demo.workspace.slash(DORA, OPS, "/gpu node cordon gpu-3 because I can")
    refused = await until(demo, "operator", DORA)
    assert "cordon gpu-3" in refused.text
    assert demo.app.clusters["demo"].view.nodes["gpu-3"].unschedulable is False
    assert saying(demo, "Change 1") is None


async def test_what_fires_gets_a_thread_by_itself(demo: Stage) -> None:
    async with asyncio.timeout(60):
        while saying(demo, "gpu-13 has no loaded driver") is None:  # noqa: ASYNC110  # nothing tells
            await asyncio.sleep(0.2)


async def test_a_node_is_verified_by_a_pod_that_is_gone_afterwards(demo: Stage) -> None:
    await demo.workspace.slash(BEN, OPS, "/gpu verify gpu-3")
    asked = await until(demo, "Change 1")
    await demo.workspace.click(BEN, asked.ts, "change-0")
    done = await until(demo, "Done: change 1")
    assert "gpu-3" in done.text
    pods = demo.app.clusters["demo"].view.pods
    async with asyncio.timeout(SECONDS):
        while any("gpu-verify" in key for key in pods):  # noqa: ASYNC110  # nothing tells
            await asyncio.sleep(0.05)


async def test_over_a_cluster_of_ones_own_nobody_changes_anything() -> None:
    cluster = LocalCluster()
    await cluster.start()
    try:
        async with stage(Options(kubeconfig=str(cluster.kubeconfig_path))) as running:
            await running.workspace.slash(ANA, OPS, "/gpu node cordon gpu-3 because I can")
            refused = await until(running, "operator", ANA)
            assert "cordon gpu-3" in refused.text
            await running.workspace.slash(ANA, OPS, "/model bench glm-prod busy=yes")
            await until(running, "You may not measure engines", ANA)
    finally:
        await cluster.stop()
