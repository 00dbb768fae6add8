"""Looking things up in a live cluster for one question: whole objects and the ends of logs, side by side, in time.

Nothing is retried: somebody waits. What is refused or too slow is named in the evidence with its reason.
"""

import asyncio
from typing import Protocol
from urllib.parse import quote

import aiohttp
import msgspec

from bot.adapters.cluster import kinds
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, RefusedError
from bot.adapters.cluster.kind import AnyKind
from bot.adapters.nodes.told import Told
from bot.domain.errors import ConfigError
from bot.domain.evidence import LOG_MAX_BYTES, Evidence, LogRef, MetricsRef, NodeRef, ObjectRef, Ref, Wanted
from bot.domain.fields import Fields

AT_ONCE = 8
NODES_AT_ONCE = 32
OBJECT_MAX_BYTES = 4 * 2**20
LOG_LINES = 600
LOG_READ_BYTES = 2 * 2**20  # `limitBytes` cuts a log's end off, which matters most: the cap on what is kept is ours


class Nodes(Protocol):
    """Who asks the programs on nodes (bot.adapters.nodes)."""

    async def read(self, ref: NodeRef | MetricsRef, timeout_seconds: float) -> Told: ...


class ClusterLooker:
    """A `Looker` over one connection, and over the nodes' agents where there is somebody to ask them."""

    def __init__(self, connection: Connection, nodes: Nodes | None = None) -> None:
        self._connection = connection
        self._nodes = nodes
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._node_slots = asyncio.Semaphore(NODES_AT_ONCE)  # slow nodes must not hold back objects and logs

    async def look(self, wanted: Wanted, timeout_seconds: float) -> Evidence:
        found: dict[Ref, bytes] = {}
        missing: dict[Ref, str] = {}
        tasks = {asyncio.create_task(self._one(ref, found, missing, timeout_seconds)): ref for ref in wanted.refs}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=timeout_seconds)
            for task in late:
                task.cancel()
                missing[tasks[task]] = f"no answer within {timeout_seconds:g} s"
            await asyncio.gather(*tasks, return_exceptions=True)
        return _evidence(found, missing)

    async def _one(self, ref: Ref, found: dict[Ref, bytes], missing: dict[Ref, str], timeout_seconds: float) -> None:
        if isinstance(ref, (NodeRef, MetricsRef)):
            await self._of_node(ref, found, missing, timeout_seconds)
            return
        place = _place(ref)
        if place is None:
            missing[ref] = "gpubot does not read this kind"
            return
        path, params, at_most = place
        try:
            async with self._slots, self._connection.get(path, params, silence_seconds=timeout_seconds) as answer:
                data = await _capped(answer.content, at_most)
                found[ref] = _end(data) if isinstance(ref, LogRef) else data
        except RefusedError as error:
            missing[ref] = "not there" if error.status == 404 else error.message or f"refused with {error.status}"
        except (ConfigError, *TROUBLE) as error:
            missing[ref] = str(error) or type(error).__name__

    async def _of_node(
        self, ref: NodeRef | MetricsRef, found: dict[Ref, bytes], missing: dict[Ref, str], timeout_seconds: float
    ) -> None:
        """What came may be odd as well: then it stands in both."""
        if self._nodes is None:
            missing[ref] = "no node agent to ask"
            return
        async with self._node_slots:
            told = await self._nodes.read(ref, timeout_seconds)
        if told.data is not None:
            found[ref] = told.data
        if told.trouble:
            missing[ref] = told.trouble


def _place(ref: ObjectRef | LogRef) -> tuple[str, dict[str, str], int] | None:
    """Path, parameters and the most bytes to read; None for kinds that are not read."""
    if isinstance(ref, LogRef):
        path = f"/api/v1/namespaces/{quote(ref.namespace, safe='')}/pods/{quote(ref.pod, safe='')}/log"
        params = {"container": ref.container, "tailLines": str(LOG_LINES), "limitBytes": str(LOG_READ_BYTES)}
        return path, {**params, **({"previous": "true"} if ref.previous else {})}, LOG_READ_BYTES
    if ref.kind == "ConfigMap":
        folder = f"/api/v1/namespaces/{quote(ref.namespace, safe='')}/configmaps"
    else:
        kind: AnyKind | None = kinds.of_object(ref.kind)
        if kind is None:
            return None
        folder = kind.path(kind.versions[0], quote(ref.namespace, safe=""))
    return f"{folder}/{quote(ref.name, safe='')}", {}, OBJECT_MAX_BYTES


async def _capped(content: aiohttp.StreamReader, at_most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size < at_most and (chunk := await content.read(at_most - size)):
        parts.append(chunk)
        size += len(chunk)
    return b"".join(parts)


def _end(log: bytes) -> bytes:
    """The last lines; one that was cut is left out."""
    return log if len(log) <= LOG_MAX_BYTES else log[-LOG_MAX_BYTES:].partition(b"\n")[2]


def _evidence(found: dict[Ref, bytes], missing: dict[Ref, str]) -> Evidence:
    objects: dict[ObjectRef, Fields] = {}
    texts: dict[Ref, str] = {}
    for ref, data in found.items():
        if not isinstance(ref, ObjectRef):
            texts[ref] = data.decode("utf-8", "replace")
            continue
        try:
            objects[ref] = Fields(msgspec.json.decode(data, type=dict), str(ref))
        except (msgspec.DecodeError, RecursionError):
            missing[ref] = "came as something else than an object"
    return Evidence(objects, texts, missing)
