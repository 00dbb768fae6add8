"""Looking things up in a live cluster for one question: whole objects and the ends of logs, side by side, in time.

Nothing is retried: somebody waits. What is refused or too slow is named in the evidence with its reason.
"""

import asyncio
from urllib.parse import quote

import aiohttp
import msgspec

from bot.adapters.cluster import kinds
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, RefusedError
from bot.adapters.cluster.kind import AnyKind
from bot.domain.errors import ConfigError
from bot.domain.evidence import LOG_MAX_BYTES, Evidence, LogRef, ObjectRef, Ref, Wanted
from bot.domain.fields import Fields

AT_ONCE = 8
OBJECT_MAX_BYTES = 4 * 2**20
LOG_LINES = 600


class ClusterLooker:
    """A `Looker` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._slots = asyncio.Semaphore(AT_ONCE)

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
        place = _place(ref)
        if place is None:
            missing[ref] = (
                "no node agent to ask" if not isinstance(ref, ObjectRef) else "gpubot does not read this kind"
            )
            return
        path, params, at_most = place
        try:
            async with self._slots, self._connection.get(path, params, silence_seconds=timeout_seconds) as answer:
                found[ref] = await _capped(answer.content, at_most)
        except RefusedError as error:
            missing[ref] = "not there" if error.status == 404 else error.message or f"refused with {error.status}"
        except (ConfigError, *TROUBLE) as error:
            missing[ref] = str(error) or type(error).__name__


def _place(ref: Ref) -> tuple[str, dict[str, str], int] | None:
    """Path, parameters and the most bytes to read; None for what an API server does not have."""
    if isinstance(ref, LogRef):
        path = f"/api/v1/namespaces/{quote(ref.namespace, safe='')}/pods/{quote(ref.pod, safe='')}/log"
        params = {"container": ref.container, "tailLines": str(LOG_LINES), "limitBytes": str(LOG_MAX_BYTES)}
        return path, {**params, **({"previous": "true"} if ref.previous else {})}, LOG_MAX_BYTES
    if not isinstance(ref, ObjectRef):
        return None
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


def _evidence(found: dict[Ref, bytes], missing: dict[Ref, str]) -> Evidence:
    objects: dict[ObjectRef, Fields] = {}
    texts: dict[Ref, str] = {}
    for ref, data in found.items():
        if not isinstance(ref, ObjectRef):
            texts[ref] = data.decode("utf-8", "replace")
            continue
        try:
            objects[ref] = Fields(msgspec.json.decode(data), str(ref))
        except (msgspec.DecodeError, RecursionError):
            missing[ref] = "came as something else than an object"
    return Evidence(objects, texts, missing)
