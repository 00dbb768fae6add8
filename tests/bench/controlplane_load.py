"""Fill a real control plane with a large GPU cluster: 5,000 nodes and 50,000 running pods in seconds.

    python -m tests.bench.controlplane_load [NODES PODS]          # prints the figures

The API server takes some 1,200 writes a second on two cores, and a running pod needs two of them. So the objects are
written to etcd, where the API server finds them as if it had stored them: it reads JSON as well as its own encoding
(kubernetes/kubernetes:staging/src/k8s.io/apimachinery/pkg/runtime/serializer/recognizer), and fills in defaults.
Objects of one transaction share one resource version, which the API server's own writes never do: it drops such events
for those who watch. So only etcd and the API server may run during the load; whatever watches is started afterwards.
"""

from __future__ import annotations

import asyncio
import base64
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import aiohttp
import msgspec

from tests.bench.controlplane_objects import Stored, stored_namespaces, stored_nodes, stored_pods
from tests.cluster.controlplane.launch import ControlPlane

BATCH = 100
"""Objects of one transaction: less than a megabyte, and than the 1,024 operations that etcd is started with."""

IN_FLIGHT = 4
"""Transactions at once: this process encodes the next while etcd stores the last."""

LISTED_SECONDS = 60


@dataclass(frozen=True)
class Load:
    """What was written and how long it took, until the API server itself listed all of it."""

    nodes: int
    pods: int
    nodes_seconds: float
    pods_seconds: float

    def __str__(self) -> str:
        return (
            f"{self.nodes:,} nodes in {self.nodes_seconds:.1f} s, {self.pods:,} pods in {self.pods_seconds:.1f} s "
            f"({self.pods / self.pods_seconds:,.0f} a second)"
        )


async def fill(plane: ControlPlane, *, nodes: int = 5_000, pods: int = 50_000) -> Load:
    """Write the nodes, then the pods, spread evenly; each node's first eight pods hold one of its eight GPUs each.

    The control plane must be empty of both. The owners of the pods do not exist: controllers, started later, would
    delete the pods; the scheduler does not mind. Raises TimeoutError when the API server does not come to list them
    all, and ValueError when more runs than etcd and the API server.
    """
    if others := set(plane.children.names()) - {"etcd", "apiserver"}:
        raise ValueError(f"start these after the load, they would miss parts of it: {', '.join(sorted(others))}")
    async with aiohttp.ClientSession() as session:
        started = time.monotonic()
        await _store(session, plane, stored_nodes(nodes))
        await asyncio.to_thread(_wait_listed, plane, "/api/v1/nodes", nodes)
        between = time.monotonic()
        await _store(session, plane, stored_namespaces())
        await _store(session, plane, stored_pods(pods, nodes))
        await asyncio.to_thread(_wait_listed, plane, "/api/v1/pods", pods)
    return Load(nodes, pods, between - started, time.monotonic() - between)


async def _store(session: aiohttp.ClientSession, plane: ControlPlane, objects: Iterable[Stored]) -> None:
    """One transaction a batch through etcd's JSON gateway. Raises RuntimeError with etcd's words."""
    rest = iter(objects)

    async def worker() -> None:
        while batch := list(islice(rest, BATCH)):
            body = msgspec.json.encode({"success": [{"requestPut": _put(key, item)} for key, item in batch]})
            async with session.post(f"{plane.layout.etcd_url}/v3/kv/txn", data=body) as answer:
                if answer.status != 200:
                    raise RuntimeError(f"etcd refused: {await answer.text()}")
                await answer.read()

    async with asyncio.TaskGroup() as group:
        for _ in range(IN_FLIGHT):
            group.create_task(worker())


def _put(key: str, item: dict[str, Any]) -> dict[str, str]:
    value = msgspec.json.encode(item)
    return {"key": base64.b64encode(key.encode()).decode(), "value": base64.b64encode(value).decode()}


def _wait_listed(plane: ControlPlane, path: str, count: int) -> None:
    """Return when the API server counts `count` objects, else raise TimeoutError.

    It learns of a transaction's objects one by one, all with one version, so a single list may come in between.
    """
    deadline = time.monotonic() + LISTED_SECONDS
    while (found := _count(plane, path)) != count:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the API server counts {found} under {path}, not {count}")
        time.sleep(0.05)


def _count(plane: ControlPlane, path: str) -> int:
    listed = plane.request("GET", f"{path}?limit=1")
    return len(listed["items"]) + int(listed["metadata"].get("remainingItemCount", 0))


def main() -> None:
    from tests.cluster.controlplane.build import build

    nodes, pods = (int(word) for word in sys.argv[1:] or ("5000", "50000"))
    plane = ControlPlane(build())
    try:
        plane.start(["etcd", "apiserver"])
        print(asyncio.run(fill(plane, nodes=nodes, pods=pods)))
        print("resident MiB:", plane.resident_mib())
    finally:
        plane.stop()


if __name__ == "__main__":
    main()
