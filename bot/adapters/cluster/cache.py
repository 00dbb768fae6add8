"""A cluster kept in memory: every kind listed once and watched from then on."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from bot.adapters.cluster import kinds
from bot.adapters.cluster.board import Board
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.feed import Feed
from bot.adapters.cluster.kind import AnyKind
from bot.adapters.cluster.pace import Pace
from bot.adapters.cluster.target import Target
from bot.domain.errors import ClusterError
from bot.domain.source import Reading
from bot.domain.view import View

_log = logging.getLogger(__name__)


class WatchCache:
    """`view` is read without awaiting; `view.sources` always say how well and how recently each kind is known.

    Several caches stand side by side: none shares anything with another. The connection stays the caller's, to close
    after `stop`.

    kinds: plurals to read; None for all.
    namespaces: where the account may only read these, they are read one by one in place of all.
    watch_list: ask for WatchList (spares the API server, not us) where the server has it.
    """

    def __init__(
        self,
        name: str,
        connection: Connection,
        *,
        now: Callable[[], datetime],
        kinds: Iterable[str] | None = None,
        namespaces: tuple[str, ...] = (),
        watch_list: bool = False,
        pace: Pace | None = None,
    ) -> None:
        self.name = name
        self.view = View(name)
        self._kinds = chosen(kinds)
        self._namespaces = namespaces
        self._watch_list = watch_list
        self._board = Board(self.view, now)
        self._target = Target(connection, self.view, self._board, self._wake, pace or Pace())
        self._listeners: list[Callable[[str], None]] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin reading; returns at once."""
        for kind in self._kinds.values():
            self._board.expect(kind.name)
            self._tasks.append(asyncio.create_task(self._read(kind), name=f"{self.name} {kind.name}"))

    async def synced(self, timeout_seconds: float) -> None:
        """Until every kind has its first answer, good or bad. What had none by then, `view.sources` say.

        Raises ClusterError where not one kind was answered: then its sentence says why.
        """
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._board.until_settled()
        except TimeoutError:
            sources = list(self.view.sources.values())
            if all(source.reading is Reading.SILENT for source in sources):
                detail = sources[0].detail if sources else "nothing was asked for"
                raise ClusterError(f"{self.name}: {detail}", retryable=True) from None

    async def stop(self) -> None:
        """End reading. The view stays as it is."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    def on_change(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """`listener` is called with a kind's plural after each batch of its changes. Call the result to end that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def _read(self, kind: AnyKind) -> None:
        narrower = bool(self._namespaces) and kind.namespaced
        await Feed(kind, "", self._target, watch_list=self._watch_list, narrower=narrower).run()
        self._board.expect(kind.name, self._namespaces)  # all namespaces are not ours to see: these may be
        feeds = [Feed(kind, scope, self._target, watch_list=self._watch_list) for scope in self._namespaces]
        await asyncio.gather(*(feed.run() for feed in feeds))

    def _wake(self, kind: str) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(kind)
            except Exception:  # noqa: BLE001  # one listener's bug must not stop the reading, nor the others
                _log.exception("a listener of %s failed", self.name)


def chosen(names: Iterable[str] | None) -> Mapping[str, AnyKind]:
    """The kinds of those names; None for all. Raises KeyError for a name that is none."""
    known = kinds.collect()
    return known if names is None else {name: known[name] for name in names}
