"""The embedded API server with full-size objects of a large cluster, in a process of its own.

python -m tests.bench.embedded_server NODES PODS    prints its address, then serves until its standard input closes
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bot.local.cluster.api import ApiServer
from bot.local.cluster.clock import Clock
from bot.local.cluster.store import RESOURCES, Store
from tests.bench import objects


@contextmanager
def served(nodes: int, pods: int) -> Iterator[str]:
    """The address of a server with so many, for as long as the block lasts."""
    command = [sys.executable, "-m", "tests.bench.embedded_server", str(nodes), str(pods)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError("the embedded API server did not start")
        try:
            yield url
        finally:
            process.kill()


async def _serve(nodes: int, pods: int) -> None:
    gc.disable()  # what is loaded stays
    store = Store(clock=Clock())
    store.load_encoded(RESOURCES["", "nodes"], (objects.node(number) for number in range(nodes)))
    store.load_encoded(RESOURCES["", "pods"], (objects.pod(number, nodes) for number in range(pods)))
    gc.freeze()
    gc.enable()
    server = ApiServer(store)
    await server.start()
    print(server.url, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()


def main() -> None:
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {1})  # clients have the other core
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2])))


if __name__ == "__main__":
    main()
