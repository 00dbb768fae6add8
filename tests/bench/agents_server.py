"""A thousand node agents on loopback, each on a port of its own, and the API server's list of their pods.

python -m tests.bench.agents_server AGENTS      prints the list's address, then serves until its input closes
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import msgspec
from aiohttp import web

from bot import __version__

NAMESPACE, TOKEN = "gpubot", "bench-token-of-sixteen-and-more"
GPUS = 8
DESCRIPTORS = 8_192


@contextmanager
def served(agents: int) -> Iterator[str]:
    """The address of such a list, for as long as the block lasts."""
    command = [sys.executable, "-m", "tests.bench.agents_server", str(agents)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError("the agents did not start")
        try:
            yield url
        finally:
            process.kill()


def node(number: int) -> str:
    return f"gpu-{number}"


def reading(number: int) -> bytes:
    """As long as a busy node's: eight GPUs with links, processes and pods."""
    gpus = [_gpu(number, index) for index in range(GPUS)]
    head = {"node": node(number), "agentVersion": __version__, "ageSeconds": 2.0, "driverVersion": "580.95.05"}
    return msgspec.json.encode({**head, "takenAt": datetime.now(UTC).isoformat(), "gpus": gpus, "xids": []})


def _gpu(number: int, index: int) -> dict[str, object]:
    return {
        "index": index,
        "uuid": f"GPU-{number:08x}-{index:04x}-0000-0000-000000000000",
        "name": "NVIDIA H200",
        "pciInfo": {"busId": f"00000000:{index:02X}:00.0"},
        "memoryInfo": {"total": 150_754_820_096, "used": 123_456_789, "free": 150_631_363_307, "reserved": 0},
        "utilizationRates": {"gpu": 97, "memory": 41},
        "temperature": 51,
        "powerUsage": 412_345,
        "clockInfo": {"sm": 1980},
        "totalEccErrors": {"volatile": {"corrected": 0, "uncorrected": 0}},
        "nvLinkState": [1] * 18,
        "nvLinkErrorCounter": {f"replay-{link}": 0 for link in range(18)},
        "computeRunningProcesses": [
            {"pid": 10_000 + one, "usedGpuMemory": 1 << 30, "name": "/usr/bin/python3", "pod": f"llm/glm-{one}"}
            for one in range(8)
        ],
        "pods": [f"llm/glm-{number}-{index}"],
    }


def _pod(number: int, port: int) -> dict[str, object]:
    container = {"name": "agent", "ports": [{"name": "agent", "containerPort": port}]}
    return {
        "metadata": {"name": f"gpubot-agent-{number}", "namespace": NAMESPACE, "uid": f"u-{number}"},
        "spec": {"nodeName": node(number), "containers": [container]},
        "status": {"phase": "Running", "podIP": "127.0.0.1"},
    }


async def _listening(handler: object) -> int:
    runner = web.ServerRunner(web.Server(handler, access_log=None))  # type: ignore[arg-type]  # one of the two below
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return int(runner.addresses[0][1])


def _agent(number: int) -> object:
    body = reading(number)

    async def answer(request: web.BaseRequest) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}" or request.path != "/reading":
            return web.Response(status=401)
        return web.Response(body=body, content_type="application/json")

    return answer


async def _serve(agents: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    pods = [_pod(number, await _listening(_agent(number))) for number in range(agents)]

    async def listed(request: web.BaseRequest) -> web.Response:
        start, size = int(request.query.get("continue", 0)), int(request.query["limit"])
        meta = {"continue": str(start + size)} if start + size < agents else {}
        return web.Response(body=msgspec.json.encode({"metadata": meta, "items": pods[start : start + size]}))

    print(f"http://127.0.0.1:{await _listening(listed)}", flush=True)
    await asyncio.to_thread(sys.stdin.read)


def main() -> None:
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {1})  # the reader has the other core
    asyncio.run(_serve(int(sys.argv[1])))


if __name__ == "__main__":
    main()
