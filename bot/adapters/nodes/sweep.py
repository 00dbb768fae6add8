"""Reading every node's agent in one go: a thousand of them within seconds, a bounded number at once.

One list tells where they all listen. Answers are handed on as they come, so that nobody need hold them all as text.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from bot.adapters.cluster.connection import Connection
from bot.adapters.nodes import finding
from bot.adapters.nodes.access import NodeAccess
from bot.adapters.nodes.asked import Asked
from bot.adapters.nodes.checked import checked
from bot.adapters.nodes.place import Place
from bot.adapters.nodes.told import NotToldError, Told
from bot.adapters.nodes.way import Asking, Way
from bot.domain.errors import ConfigError
from bot.domain.text import inert

AT_ONCE = 48
READING_MAX_BYTES = 2**20  # sixteen GPUs with slices and processes need a tenth of it
Hear = Callable[[str, Told], None]


class Sweep:
    """Of one cluster; made once and used again, so that it remembers which way agents are reached."""

    def __init__(self, connection: Connection, access: NodeAccess, *, now: Callable[[], datetime]) -> None:
        self._connection, self._access, self._now = connection, access, now
        self._way = Way(connection, access)

    async def read_all(self, nodes: Iterable[str], within_seconds: float) -> dict[str, Told]:
        """What each node's agent said, or why it did not: by the node's name, in the order asked for. Never raises."""
        told = dict.fromkeys(nodes, Told())
        await self.each(list(told), told.__setitem__, within_seconds)
        return told

    async def each(self, nodes: Iterable[str], hear: Hear, within_seconds: float) -> None:
        """`hear` is called once for each node, as soon as that is known."""
        names = list(dict.fromkeys(nodes))
        left = dict.fromkeys(names, "")

        def once(node: str, told: Told) -> None:
            del left[node]
            hear(node, told)

        trouble = f"no answer within {within_seconds:g} s"
        try:
            async with asyncio.timeout(within_seconds):
                await self._ask_all(names, once, within_seconds)
        except TimeoutError:
            pass_on = trouble
        except NotToldError as error:
            pass_on = str(error)
        except ConfigError as error:
            pass_on = inert(str(error))
        else:
            return
        for node in list(left):
            once(node, Told(trouble=pass_on))

    async def _ask_all(self, names: list[str], hear: Hear, within_seconds: float) -> None:
        places = await finding.agents(self._connection, self._access.namespace, self._access.port, within_seconds)
        waiting = iter(names)
        async with self._way.opened() as ways, asyncio.TaskGroup() as group:
            for _ in range(min(AT_ONCE, len(names))):
                group.create_task(self._work(waiting, places, ways, hear))

    async def _work(self, waiting: Iterator[str], places: dict[str, Place], ways: Asking, hear: Hear) -> None:
        for node in waiting:
            place = places.get(node)
            hear(node, await self._one(node, place, ways) if place else Told(trouble="no node agent to ask"))

    async def _one(self, node: str, place: Place, ways: Asking) -> Told:
        try:
            asked = Asked(place, "reading", ours=True, at_most=READING_MAX_BYTES)
            return checked(await ways.ask(asked, self._access.timeout_seconds), node, self._now())
        except NotToldError as error:
            return Told(trouble=str(error))
