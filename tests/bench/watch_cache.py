"""What it costs to read a large cluster and to keep it current, beside the least that it could cost.

Each sample is a process of its own against one page server (tests.bench.page_server), pinned to another core. The floor
reads the same bytes with one blocking socket and decodes them into the same wire structs, and does nothing else: no records, no indexes, no event loop.
"""

import asyncio
import gc
import json
import os
import re
import resource
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import Any

NODES, PODS, EVENTS = 5_000, 150_000, 20_000
KINDS = ("nodes", "pods")
Figure = dict[str, Any]


def figures(nodes: int = NODES, pods: int = PODS) -> list[Figure]:
    """Every figure of this module; about a minute and a half at full size, and 2 GB for the page server."""
    from tests.bench.page_server import served

    with served(nodes, pods) as url:
        keeping, dropping = _sample("floor", url, "keep"), _sample("floor", url, "drop")
        ours, event, official = _sample("load", url), _sample("event", url), _sample("official")
    load = f"load {nodes:,} nodes and {pods:,} pods"
    kept, dropped = "socket + msgspec, structs kept", "socket + msgspec, nothing kept"
    return [
        _figure(f"{load}: CPU", ours["cpu_s"], "s", kept, keeping["cpu_s"], at_most=1.5),
        _figure(f"{load}: CPU, all of indexing included", ours["cpu_s"], "s", dropped, dropping["cpu_s"], at_most=2.25),
        _figure(f"{load}: peak memory", ours["peak_mib"], "MiB", kept, keeping["peak_mib"], at_most=1.5),
        _figure(f"{load}: longest stall of the event loop", ours["stall_ms"], "ms", None, None, most=50),
        _figure("one pod changed", event["us"], "µs", "kubernetes", official["us"], at_most=1 / 20, most=35),
    ]


def _figure(
    name: str,
    value: float,
    unit: str,
    peer: str | None,
    peer_value: float | None,
    *,
    at_most: float | None = None,
    most: float | None = None,
) -> Figure:
    ratio = value / peer_value if peer_value else None
    wanted = [f"≤ {at_most:.3g} of {peer}"] if at_most else []
    wanted += [f"≤ {most:g} {unit}"] if most else []
    return {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "peer": peer,
        "peer_value": None if peer_value is None else round(peer_value, 3),
        "ratio": None if ratio is None else round(ratio, 4),
        "goal": " and ".join(wanted),
        "ok": (at_most is None or (ratio is not None and ratio <= at_most)) and (most is None or value <= most),
    }


def _sample(role: str, *arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.watch_cache", role, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    sample: dict[str, float] = json.loads(done.stdout)
    return sample


# ---- roles: each runs in its own process and prints one line ---------------------------------------------------------


def floor(url: str, results: str) -> dict[str, float]:
    """The least: bytes from a socket, wire structs from the bytes. `results` are to "keep" or to "drop".

    Structs that are kept hold on to their pages (what many objects repeat is left in them as bytes), so that keeping
    costs fresh memory for every page, and dropping costs next to none: neither is what a cache could do.
    """
    from bot.adapters.cluster import kinds

    gc.disable()
    decoders = [(kind, kinds.collect()[kind].page_decoder.decode) for kind in KINDS]
    host, _, port = url.removeprefix("http://").partition(":")
    kept: list[Any] = []
    count = 0
    with socket.create_connection((host, int(port))) as connection:
        started = time.process_time()
        for kind, decode in decoders:
            more = ""
            while True:
                page = decode(_get(connection, f"/api/v1/{kind}?limit=500{more}"))
                count += len(page.items)
                if results == "keep":
                    kept += page.items
                if not page.metadata.more:
                    break
                more = f"&continue={page.metadata.more}"
        spent = time.process_time() - started
    return {"cpu_s": spent, "peak_mib": _peak_mib(), "objects": count}


def _get(connection: socket.socket, target: str) -> memoryview:
    connection.sendall(f"GET {target} HTTP/1.1\r\nHost: floor\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)
    head, _, body = head.partition(b"\r\n\r\n")
    found = re.search(rb"Content-Length: (\d+)", head)
    assert found is not None
    whole = memoryview(bytearray(int(found[1])))
    whole[: len(body)] = body
    at = len(body)
    while at < len(whole):
        at += connection.recv_into(whole[at:])
    return whole


async def load(url: str) -> dict[str, float]:
    """The product: a WatchCache until it is synced, everything indexed."""
    from bot.adapters.cluster import memory
    from bot.adapters.cluster.cache import WatchCache
    from bot.adapters.cluster.connection import plain

    memory.before_loading()
    async with plain(url) as connection:
        cache = WatchCache("bench", connection, now=lambda: datetime.now(UTC), kinds=KINDS)
        stalls = asyncio.create_task(_longest_stall())
        started, began = time.process_time(), time.perf_counter()
        await cache.start()
        await cache.synced(300)
        spent, took = time.process_time() - started, time.perf_counter() - began
        stalls.cancel()
        stall = await stalls
        await cache.stop()
    return {
        "cpu_s": spent,
        "wall_s": took,
        "peak_mib": _peak_mib(),
        "stall_ms": stall * 1000,
        "objects": len(cache.view.pods) + len(cache.view.nodes),
    }


async def _longest_stall() -> float:
    longest, last = 0.0, time.perf_counter()
    try:
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            longest, last = max(longest, now - last - 0.001), now
    except asyncio.CancelledError:
        return longest


async def event(url: str) -> dict[str, float]:
    """CPU of one MODIFIED event of a pod in a view that holds as many, through decoding and every index."""
    from bot.adapters.cluster import kinds, memory
    from bot.adapters.cluster.board import Board
    from bot.adapters.cluster.connection import plain
    from bot.adapters.cluster.listing import list_into
    from bot.adapters.cluster.pace import Pace
    from bot.adapters.cluster.target import Target
    from bot.adapters.cluster.watch import Watch
    from bot.domain.view import View

    memory.before_loading()
    view = View("bench")
    view.watchers.append(set())
    async with plain(url) as connection:
        target = Target(connection, view, Board(view, lambda: datetime.now(UTC)), lambda _: None, Pace())
        for kind in KINDS:
            await list_into(target, kinds.collect()[kind], "", {})
    memory.after_loading()
    watch = Watch(kinds.collect()["pods"], "", view, target.shared, {}, "1")
    lines = _lines(len(view.nodes), len(view.pods))
    started = time.process_time()
    for line in lines:
        await watch.take(line)
    spent = time.process_time() - started
    return {"us": spent / len(lines) * 1e6, "bytes": sum(map(len, lines)) / len(lines)}


def official() -> dict[str, float]:
    """The same event as the official client's watch hands it out: V1Pod."""
    from kubernetes import client, watch

    api = client.ApiClient()
    stream = watch.Watch()
    stream._api_client = api  # what Watch.stream would set
    lines = [line.decode() for line in _lines(NODES, PODS, 1_000)]
    stream.unmarshal_event(lines[0], "V1Pod")
    started = time.process_time()
    for line in lines:
        stream.unmarshal_event(line, "V1Pod")
    return {"us": (time.process_time() - started) / len(lines) * 1e6}


def _lines(nodes: int, pods: int, count: int = EVENTS) -> list[bytes]:
    from tests.bench.page_server import event as changed

    return [changed(number * 7 % pods, nodes) for number in range(count)]


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    role, *arguments = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {0})
    result = {"floor": floor, "load": load, "event": event, "official": official}[role](*arguments)
    print(json.dumps(asyncio.run(result) if asyncio.iscoroutine(result) else result))


if __name__ == "__main__":
    main()
