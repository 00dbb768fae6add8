"""The whole product at once: local Kubernetes, simulator, watch cache, bot, Socket Mode, local Slack, people."""

import socket

import pytest

from bot.demo.people import ANA, OPS
from bot.demo.stage import Options, stage
from bot.demo.tour import Done, visit
from bot.logs import set_up


@pytest.fixture(autouse=True)
def behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy in the environment must not come between programs on one machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    set_up("error", json_lines=False)


@pytest.mark.parametrize("scenario", ["default", "healthy", "empty"])
async def test_the_tour_goes_well(scenario: str) -> None:
    told: list[Done] = []
    async with stage(Options(scenario=scenario)) as running:
        good = await visit(running, running.app.settings.slack.command, told.append)
    assert [f"{done.step.typed}: {done.wrong}" for done in told if done.wrong] == []
    assert good


async def test_the_story_of_the_demo_is_told_by_its_numbers() -> None:
    async with stage(Options()) as running:
        outcome = await running.workspace.slash(ANA, OPS, "/gpu status")
        assert outcome.error is None
        message = await running.workspace.next_message(OPS, ANA)
    assert message.text.startswith("H200: 11 of 96 free, at most 4 together (on gpu-3). A10: 20 of 32 free")
    for fact in (
        "1 GPU lost (gpu-9)",
        "gpu-13",
        "by the driver upgrade",
        "dedicated=train:NoSchedule",
        "MIG 1g.10gb",
        "time-slicing x4",
        "(DRA)",
    ):
        assert fact in message.text


async def test_a_fault_in_the_cluster_shows_in_the_next_answer() -> None:
    async with stage(Options(scenario="healthy")) as running:
        assert running.cluster is not None
        view = running.app.clusters["demo"].view
        node = next(name for name, node in view.nodes.items() if node.allocatable.get("nvidia.com/gpu"))
        before = view.nodes[node].allocatable["nvidia.com/gpu"]
        await running.cluster.faults.gpu_lost(node, 0, 79)
        while view.nodes[node].allocatable["nvidia.com/gpu"] == before:
            await running.app.changed()
        await running.workspace.slash(ANA, OPS, "/gpu status")
        message = await running.workspace.next_message(OPS, ANA)
    assert f"1 GPU lost ({node})" in message.text


async def test_a_port_that_is_taken_is_replaced() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        async with stage(Options(scenario="empty", port=port)) as running:
            assert running.workspace.port_taken
            assert running.workspace.port != port
