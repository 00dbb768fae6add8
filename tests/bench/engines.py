"""A sweep of a thousand nodes and a thousand engines: every engine's page over HTTP, then all checks; and its memory.

The reader is a process of its own on one core, the engines are another on the other. The floor is a bare loop of httpx
that gets the same pages in the same process and reads nothing.

    python -m tests.bench.engines URL      sweeps the engines listed there, prints what it took
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import msgspec

from bot.adapters.cluster import memory
from bot.adapters.cluster.connection import plain
from bot.adapters.engines.access import EngineAccess
from bot.adapters.engines.keeper import EngineKeeper
from bot.adapters.engines.scraper import Scraper
from bot.domain.evidence import NO_EVIDENCE
from bot.domain.pod import Container
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.policy import USUAL
from bot.sweep.sweep import sweep
from tests.bench import engines_server
from tests.bench.figure import Figure, beside, measured, within
from tests.factories import a_node, a_pod, a_view

ENGINES, TIMED, SWEEPS, SETTLED = 1_000, 3, 100, 40  # windows are full after so many
JUDGED_EVERY = 12  # sweeps: the others only read, for a run must end
MOST_SECONDS, MOST_GROWN_MIB, TIMES_BARE = 3.0, 16.0, 1.5
AT_ONCE, EVERY_SECONDS, PATIENCE_SECONDS = 64, 30.0, 60.0
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20


class Took(msgspec.Struct):
    """What one process took, in seconds, and its memory after each sweep."""

    bare: list[float]
    read: list[float]
    whole: list[float]
    mib: list[float]


def figures() -> list[Figure]:
    with engines_server.served(ENGINES) as url:
        sample = measured([sys.executable, "-m", "tests.bench.engines", url], keep_output=True)
    took = msgspec.json.decode(sample.out, type=Took)
    grown = max(took.mib[SETTLED:]) - took.mib[SETTLED - 1]
    return [
        within(f"sweep of {ENGINES:,} nodes and {ENGINES:,} engines", min(took.whole), "s", MOST_SECONDS),
        beside(
            f"reading {ENGINES:,} engines",
            min(took.read),
            "s",
            "httpx, pages unread",
            min(took.bare),
            at_most=TIMES_BARE,
        ),
        within(f"memory that {SWEEPS - SETTLED} further sweeps leave", max(grown, 0.0), "MiB", MOST_GROWN_MIB),
    ]


async def _sweeps(url: str) -> Took:
    memory.before_loading()  # as the running bot does
    view = _view()
    memory.after_loading()
    took = Took([await _bare(url) for _ in range(TIMED)], [], [], [])
    at = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def now() -> datetime:
        return at

    inventory = Inventory(view, USUAL)
    access = EngineAccess(at_once=AT_ONCE, timeout_seconds=PATIENCE_SECONDS, within_seconds=PATIENCE_SECONDS)
    async with plain(url) as connection:
        keeper = EngineKeeper(now)
        keeper.add("bench", view, Scraper(connection, access, now=now))
        for number in range(SWEEPS):
            began = time.perf_counter()
            await keeper.read("bench")
            read = time.perf_counter()
            told = keeper.told("bench") or {}
            took.read.append(read - began)
            if number < TIMED or number % JUDGED_EVERY == 0:
                swept = sweep(view, inventory, NO_EVIDENCE, now(), told=told)
                took.whole.append(time.perf_counter() - began)
                if swept.entries:
                    raise RuntimeError(f"the sweep found {swept.entries[0].root.sentence}")
            took.mib.append(_mib())
            if len(told) != ENGINES or any(one.trouble for one in told.values()):
                raise RuntimeError(f"{len(told)} engines were asked and not all told")
            at += timedelta(seconds=EVERY_SECONDS)
    return took


def _view() -> View:
    nodes = [a_node(f"gpu-{number}") for number in range(ENGINES)]
    container = Container("vllm", "vllm/vllm-openai:v0.33.0")
    pods = [
        a_pod(engines_server.name(number), node=f"gpu-{number}", gpus=8, uid=f"u-{number}", containers=(container,))
        for number in range(ENGINES)
    ]
    return a_view(*nodes, *pods, cluster="bench")


async def _bare(url: str) -> float:
    """Seconds that httpx itself takes for all pages."""
    async with httpx.AsyncClient(timeout=PATIENCE_SECONDS, limits=httpx.Limits(max_connections=AT_ONCE)) as client:
        ports = (await client.get(f"{url}/ports")).json()
        waiting = iter(ports)

        async def work() -> None:
            for port in waiting:
                await client.get(f"http://127.0.0.1:{port}/metrics")

        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(work())
        return time.perf_counter() - began


def _mib() -> float:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_MIB


def main() -> None:
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {0})
    print(msgspec.json.encode(asyncio.run(_sweeps(sys.argv[1]))).decode())


if __name__ == "__main__":
    main()
