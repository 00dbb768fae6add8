"""A thousand node agents read in one sweep, and what a sweep leaves in memory.

The reader is a process of its own on one core, the agents are another on the other. Each answer is turned into a
reading and let go, as a job does it; the fastest sweep counts, the one that others on the machine disturbed least.

    python -m tests.bench.agents_sweep URL TOKEN_FILE    sweeps the agents listed there, prints what it took
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bot.adapters.cluster.connection import plain
from bot.adapters.nodes.access import NodeAccess
from bot.adapters.nodes.sweep import Sweep
from bot.adapters.nodes.told import Told
from bot.gpu import reading
from tests.bench import agents_server
from tests.bench.figure import Figure, measured, within

AGENTS = 1_000
SWEEPS, SETTLED = 8, 2  # memory is compared with what it was after so many
MOST_SECONDS, MOST_GROWN_MIB, MOST_PEAK_MIB = 3.0, 8.0, 120.0
PATIENCE_SECONDS = 60.0
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20


class Took(msgspec.Struct):
    """What the sweeps of one process took."""

    seconds: list[float]
    mib: list[float]  # in memory after each sweep


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder, agents_server.served(AGENTS) as url:
        token = Path(folder) / "token"
        token.write_text(agents_server.TOKEN, encoding="ascii")
        sample = measured([sys.executable, "-m", "tests.bench.agents_sweep", url, str(token)], keep_output=True)
    took = msgspec.json.decode(sample.out, type=Took)
    grown = max(took.mib[SETTLED:]) - took.mib[SETTLED - 1]
    return [
        within(f"reading {AGENTS:,} node agents", min(took.seconds), "s", MOST_SECONDS),
        within(f"memory that {SWEEPS - SETTLED} further sweeps leave", max(grown, 0.0), "MiB", MOST_GROWN_MIB),
        within(f"memory of a process that sweeps {AGENTS:,} agents", sample.peak_mib, "MiB", MOST_PEAK_MIB),
    ]


async def _sweeps(url: str, token_file: str) -> Took:
    nodes = [agents_server.node(number) for number in range(AGENTS)]
    access = NodeAccess(namespace=agents_server.NAMESPACE, token_file=token_file, timeout_seconds=PATIENCE_SECONDS)
    took = Took([], [])
    async with plain(url) as connection:
        sweep = Sweep(connection, access, now=lambda: datetime.now(UTC))
        for _ in range(SWEEPS):
            began, gpus = time.perf_counter(), 0

            def hear(node: str, told: Told) -> None:
                nonlocal gpus
                gpus += len(reading.read(told.data, node).gpus) if told.data else 0

            await sweep.each(nodes, hear, PATIENCE_SECONDS)
            took.seconds.append(time.perf_counter() - began)
            took.mib.append(_mib())
            if gpus != AGENTS * agents_server.GPUS:
                raise RuntimeError(f"the sweep found {gpus} GPUs")
    return took


def _mib() -> float:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_MIB


def main() -> None:
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {0})
    print(msgspec.json.encode(asyncio.run(_sweeps(*sys.argv[1:3]))).decode())


if __name__ == "__main__":
    main()
