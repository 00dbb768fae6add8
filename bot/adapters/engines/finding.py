"""Where engines listen: looked up once for each pod, from lists where there are many in a namespace.

A view keeps neither addresses nor arguments of pods: for the few that are engines they are kept here.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, RefusedError
from bot.adapters.engines.target import Target, target_of
from bot.adapters.nodes.finding import POD_MAX_BYTES
from bot.adapters.nodes.told import LONGEST_WORDS, NotToldError, too_long
from bot.domain.errors import ConfigError
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.serving.engine_pods import Hint

LISTED_FROM = 12  # pods of one namespace that are looked up by a list, and not one by one
AT_ONCE = 8
PAGE_PODS = 100  # decoding a page holds everything else up for milliseconds
PAGE_MAX_BYTES = 32 * 2**20
_whole = msgspec.json.Decoder(dict[str, Any])


class Targets:
    """Of one cluster."""

    def __init__(self, connection: Connection, hints: tuple[Hint, ...] = ()) -> None:
        self._connection, self._hints = connection, hints
        self._known: dict[str, Target] = {}

    def get(self, pod: Pod) -> Target | None:
        return self._known.get(pod.uid)

    def forget(self, uid: str) -> None:
        """Where it listened nothing answers any more: it is looked up again before it is asked."""
        self._known.pop(uid, None)

    async def find(self, pods: Sequence[Pod], seconds: float) -> dict[str, str]:
        """Look up those that are not known yet, and forget all others. By uid why one could not be found."""
        there = {pod.uid for pod in pods}
        self._known = {uid: one for uid, one in self._known.items() if uid in there}
        by_namespace: dict[str, list[Pod]] = defaultdict(list)
        for pod in pods:
            if pod.uid not in self._known:
                by_namespace[pod.namespace].append(pod)
        trouble: dict[str, str] = {}
        slots = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for namespace, missing in by_namespace.items():
                if len(missing) >= LISTED_FROM:
                    group.create_task(self._listed(namespace, missing, trouble, slots, seconds))
                else:
                    for pod in missing:
                        group.create_task(self._one(pod, trouble, slots, seconds))
        return trouble

    async def _one(self, pod: Pod, trouble: dict[str, str], slots: asyncio.Semaphore, seconds: float) -> None:
        path = f"/api/v1/namespaces/{quote(pod.namespace, safe='')}/pods/{quote(pod.name, safe='')}"
        try:
            async with slots:
                self._keep([await _object(self._connection, path, {}, POD_MAX_BYTES, seconds)])
        except NotToldError as error:
            trouble[pod.uid] = str(error)
        else:
            self._untold([pod], trouble)

    async def _listed(
        self, namespace: str, pods: list[Pod], trouble: dict[str, str], slots: asyncio.Semaphore, seconds: float
    ) -> None:
        try:
            async with slots:
                async for items in _pages(self._connection, namespace, seconds):
                    self._keep(items)
        except NotToldError as error:
            trouble |= {pod.uid: str(error) for pod in pods if pod.uid not in self._known}
        else:
            self._untold(pods, trouble)

    def _keep(self, items: Iterable[Any]) -> None:
        for raw in items:
            found = target_of(raw, self._hints)
            if found is not None:
                self._known[found.uid] = found

    def _untold(self, pods: list[Pod], trouble: dict[str, str]) -> None:
        for pod in pods:
            if pod.uid not in self._known:
                trouble[pod.uid] = "it has no address, or no port that is known (settings: engines.hints)"


async def _pages(connection: Connection, namespace: str, seconds: float) -> AsyncIterator[list[Any]]:
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods"
    params = {"limit": str(PAGE_PODS)}
    while True:
        page = await _object(connection, path, params, PAGE_MAX_BYTES, seconds)
        items, head = page.get("items"), page.get("metadata")
        yield items if isinstance(items, list) else []
        more = head.get("continue") if isinstance(head, dict) else None
        if not isinstance(more, str) or not more:
            return
        params = {**params, "continue": more}


async def _object(
    connection: Connection, path: str, params: dict[str, str], at_most: int, seconds: float
) -> dict[str, Any]:
    """Raises NotToldError."""
    try:
        async with connection.get(path, params, silence_seconds=seconds) as answer:
            data = bytearray()
            while chunk := await answer.content.read(2**16):
                data += chunk
                if len(data) > at_most:
                    raise too_long(at_most)
            return _whole.decode(data)
    except RefusedError as error:
        said = inert(error.message, LONGEST_WORDS) or f"refused with {error.status}"
        raise NotToldError(
            "it is not there any more" if error.status == 404 else f"may not be looked up: {said}"
        ) from error
    except (ConfigError, *TROUBLE, RecursionError) as error:
        raise NotToldError(f"cannot be looked up: {inert(str(error)) or 'no answer'}") from error
