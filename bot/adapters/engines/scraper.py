"""Reading the metrics of every engine in one go: a thousand within seconds, a bounded number at once.

Each has a deadline of its own, and all together have one: what did not answer by then is named, and the next time it is
asked again. A page becomes a reading as soon as it is there and is let go.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from bot.adapters.cluster.connection import Connection
from bot.adapters.engines.access import EngineAccess
from bot.adapters.engines.finding import Targets
from bot.adapters.engines.target import Target
from bot.adapters.nodes.access import NodeAccess, Via
from bot.adapters.nodes.told import NotToldError
from bot.adapters.nodes.way import Asking, Way
from bot.domain.engine import Way as Reached
from bot.domain.engine_told import Said
from bot.domain.errors import ConfigError
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.serving.metrics.read import read

FINDING_SHARE = 0.6  # of the time of all; it is spent only when engines are new


class Scraper:
    """Of one cluster; made once and used again, so that it remembers where engines listen and how they are reached."""

    def __init__(self, connection: Connection, access: EngineAccess, *, now: Callable[[], datetime]) -> None:
        self._access, self._now = access, now
        self._targets = Targets(connection, access.hints)
        self._way = Way(connection, NodeAccess(via=access.via, timeout_seconds=access.timeout_seconds))
        self._reached = Reached.PROXY if access.via is Via.PROXY else Reached.DIRECT

    def prepare(self) -> None:
        """Load what asking needs now, and not while somebody waits."""
        self._way.prepare()

    async def read(self, pods: Sequence[Pod]) -> dict[str, Said]:
        """What each said, or why it did not, by the pod's uid. Never raises."""
        said: dict[str, Said] = {}
        trouble = f"no answer within {self._access.within_seconds:g} s, in which all engines are asked"
        try:
            async with asyncio.timeout(self._access.within_seconds):
                said |= await self._targets.find(pods, self._access.within_seconds * FINDING_SHARE)
                await self._ask_all(pods, said)
        except TimeoutError:
            pass
        except ConfigError as error:
            trouble = inert(str(error))
        return {pod.uid: said.get(pod.uid, trouble) for pod in pods}

    async def _ask_all(self, pods: Sequence[Pod], said: dict[str, Said]) -> None:
        found = [one for one in map(self._targets.get, pods) if one is not None]
        waiting = iter(found)
        async with self._way.opened() as ways, asyncio.TaskGroup() as group:
            for _ in range(min(self._access.at_once, len(found))):
                group.create_task(self._work(waiting, ways, said))

    async def _work(self, waiting: Iterator[Target], ways: Asking, said: dict[str, Said]) -> None:
        for target in waiting:
            said[target.uid] = await self._one(target, ways)

    async def _one(self, target: Target, ways: Asking) -> Said:
        try:
            data = await ways.ask(target.asked(self._access.page_max_bytes), self._access.timeout_seconds)
        except NotToldError as error:
            if error.out_of_reach:
                self._targets.forget(target.uid)
            return _words(target, str(error))
        return read(data.decode("utf-8", "replace"), taken_at=self._now(), way=self._reached)[-1]


def _words(target: Target, reason: str) -> str:
    if target.endpoint.engine == "sglang" and "does not serve" in reason:
        return f"{reason} SGLang serves it with --enable-metrics only"
    return reason
