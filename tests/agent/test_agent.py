"""The whole agent, from the driver to its pages, and the verb that becomes it."""

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.agent.agent import Agent
from bot.agent.message import Failed
from bot.agent.process import Worker, spawner
from bot.domain.gpu_reading import NodeReading
from bot.gpu.reading import read
from tests.agent.agents import chosen, get, serving
from tests.agent.stub import Stub
from tests.agent.watching import BRISK, Actor


async def reading_with(url: str, wanted: Any) -> NodeReading:
    """The first that is as wanted."""
    async with asyncio.timeout(20):
        while True:
            node = read((await get(f"http://{url}/reading"))[1], "gpu-a")
            if wanted(node):
                return node
            await asyncio.sleep(0.02)


async def test_from_the_driver_to_the_page(stub: Stub, tmp_path: Path) -> None:
    """A GPU is lost: the others go on, it keeps its name, and the fault ends as it came."""
    stub.says("value gpus * 2")
    quick = replace(
        chosen("--period", "0.1", "--kernel-log", str(tmp_path / "none")), kubelet_socket=str(tmp_path / "none")
    )
    async with serving(Agent(quick, spawn=spawner(1, stub.environment))) as url:
        await reading_with(url, lambda node: len(node.gpus) == 2 and not node.trouble)
        stub.says("value gpus * 2", "error 1 * 15", "xid 1 79")
        node = await reading_with(url, lambda node: any(gpu.lost for gpu in node.gpus) and node.xids)
        assert [gpu.lost for gpu in node.gpus] == [False, True]
        assert node.gpus[1].uuid == "GPU-00000000-0000-4000-8000-000000000001"
        assert [(one.code, one.bus_id, one.count) for one in node.xids] == [(79, "0000:19:00", 1)]
        stub.says("value gpus * 2", "xid 1 79")
        node = await reading_with(url, lambda node: not any(gpu.lost for gpu in node.gpus))
        assert node.xids == ()
        _, page = await get(f"http://{url}/reading")
        assert '"clearedBy":"the GPU answers again"' in page
        assert "the kernel log cannot be read" in page
        assert "the kubelet does not tell" in page
        assert "pods" not in page.split('"gpus"')[1]
        assert await get(f"http://{url}/healthz") == (200, "ok\n")
        assert 'gpubot_gpu_temperature_celsius{gpu="1"' in (await get(f"http://{url}/metrics"))[1]


async def test_a_node_without_a_driver_says_so_and_stays_up(tmp_path: Path) -> None:
    async def spawn() -> Worker:
        return Actor(Failed("init", 9, "Driver Not Loaded"))

    async with serving(Agent(chosen("--kernel-log", str(tmp_path / "none")), spawn=spawn, patience=BRISK)) as url:
        node = await reading_with(url, lambda node: node.error is not None)
        assert (node.trouble, node.error, node.gpus) == ("the NVIDIA driver is not loaded on gpu-a", 9, ())
        status, text = await get(f"http://{url}/healthz")
        assert (status, text) == (200, "ok: the NVIDIA driver is not loaded on gpu-a\n")


async def test_it_ends_with_the_fault_that_a_new_container_cures(tmp_path: Path) -> None:
    async def spawn() -> Worker:
        return Actor(Failed("init", 18))

    agent = Agent(chosen("--kernel-log", str(tmp_path / "none")), spawn=spawn, patience=BRISK)
    fault = await asyncio.wait_for(agent.run(), 20)
    assert (fault.error, agent.state.as_json()["error"]) == (18, 18)


def test_the_verb_serves_until_it_is_told_to_end(stub: Stub, tmp_path: Path) -> None:
    stub.says("value gpus * 1")
    command = [sys.executable, "-m", "bot", "agent", "--listen", "127.0.0.1:0", "--kernel-log", f"{tmp_path}/none"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | stub.environment) as process:
        assert process.stderr
        assert "serving on 127.0.0.1:" in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_the_verb_tells_what_is_wrong_in_one_line() -> None:
    command = [sys.executable, "-m", "bot", "agent", "--listen", "0.0.0.0:0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert done.returncode == 3
    assert "others could read" in done.stderr
    assert "Traceback" not in done.stderr
