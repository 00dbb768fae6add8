"""The history in memory, and its way into the database behind everybody's back.

`observe` and `history` never wait. What they change is written by a task of its own; while that fails, it is kept (up
to a bound), tried again with growing pauses, and each history says in its `trouble` why it is not kept. A database that
could not be opened at the start is opened later, and then continues where it had ended.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime

import structlog

from bot.adapters.cluster.backoff import Backoff
from bot.adapters.store.errors import StoreUnavailableError
from bot.adapters.store.ledger import Ledger
from bot.adapters.store.store import KEPT_DAYS, WAITS_AT_MOST, Store
from bot.domain.errors import ConfigError
from bot.domain.history import Change, History, Observation
from bot.ports import Clock

log = structlog.get_logger()
TRY_SECONDS = 30.0  # a database that takes longer does not answer
START_SECONDS = 10.0  # nobody is answered before the start is over
CLOSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 300.0


class Recorder:
    """One for all clusters: a HistoryReader for those who read, the writer for those who sweep."""

    def __init__(self, url: str, clusters: Iterable[str], *, now: Clock, backoff: Backoff | None = None) -> None:
        self._url = url
        self._now = now
        self._ledger = Ledger(clusters)
        self._store: Store | None = None
        self._one_at_a_time = asyncio.Lock()
        self._backoff = backoff or Backoff(longest_seconds=LONGEST_PAUSE_SECONDS)
        self._wake = asyncio.Event()
        self._closing = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None

    def history(self, cluster: str) -> History:
        """What is remembered of that cluster now."""
        return self._ledger.history(cluster)

    def observe(self, cluster: str, observations: Iterable[Observation], now: datetime) -> tuple[Change, ...]:
        """Remember what a sweep saw; what it changed, which is written soon."""
        changed = self._ledger.observe(cluster, observations, now)
        if changed:
            self._wake.set()
        return changed

    async def start(self) -> None:
        """Open and load, and write behind from then on.

        Raises ConfigError for what only a person can mend. A database that is out of reach is tried again later.
        """
        if not await self._attempt(_nothing_else, START_SECONDS):
            self._wake.set()
        self._writer = asyncio.create_task(self._write_behind(), name="history-writer")
        self._writer.add_done_callback(_tell_why_it_ended)

    async def close(self) -> None:
        """Write what is left, once, and let go of the database."""
        self._closing.set()
        self._wake.set()
        if self._writer is not None:
            await asyncio.wait([self._writer], timeout=CLOSE_SECONDS)
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)
        left = len(self._ledger.unsaved)
        if left:
            log.warning("history: not written at the end", pods=left, reason=self._ledger.trouble)
        if self._store is not None:
            await self._store.close()
            self._store = None

    async def flush(self) -> bool:
        """Write what is unsaved, now; whether that went well."""
        return await self._attempt(_nothing_else)

    async def reload(self, cluster: str) -> bool:
        """Read what another replica wrote, for a cluster that this one does not sweep; whether that went well."""
        return await self._attempt(lambda store: self._load(store, cluster))

    async def prune(self, now: datetime, *, days: int = KEPT_DAYS, at_most: int = WAITS_AT_MOST) -> int:
        """Forget what is old, in memory and in the database; how many waits were forgotten there."""
        self._ledger.age(now)
        forgotten = 0

        async def forget(store: Store) -> None:
            nonlocal forgotten
            forgotten = await store.prune(now, days=days, at_most=at_most)

        await self._attempt(forget)
        return forgotten

    async def _write_behind(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            written = await self.flush()
            if self._closing.is_set():
                return
            if written:
                self._backoff.reset()
            else:
                await _set_or_later(self._closing, self._backoff.next_seconds())
                self._wake.set()

    async def _attempt(self, work: Callable[[Store], Awaitable[None]], limit_seconds: float = TRY_SECONDS) -> bool:
        """Write what is unsaved, then do the work; whether both went well. If not, every history says why."""
        async with self._one_at_a_time:
            try:
                async with asyncio.timeout(limit_seconds):
                    store = self._store or await self._open()
                    await self._save(store)
                    await work(store)
            except StoreUnavailableError as error:
                return self._failed(str(error))
            except TimeoutError:
                return self._failed(f"the database took longer than {limit_seconds:.0f} s")
            except ConfigError as error:
                if self._writer is None:  # it is the start, and a person is there to read it
                    raise
                return self._failed(str(error))
        if self._ledger.trouble:
            log.info("history: kept again", lost=self._ledger.unsaved.lost)
            self._ledger.unsaved.lost = 0
            self._ledger.say("")
        return True

    async def _open(self) -> Store:
        store = await Store.open(self._url)
        try:
            for cluster in self._ledger.clusters:
                await self._load(store, cluster)
        except BaseException:
            await store.close()
            raise
        self._store = store
        return store

    async def _load(self, store: Store, cluster: str) -> None:
        now = self._now()
        self._ledger.loaded(await store.load(cluster, now), now)

    async def _save(self, store: Store) -> None:
        taken = self._ledger.unsaved.take()
        try:
            if taken:
                await store.save(taken, self._now())
        except StoreUnavailableError as error:
            if error.retryable:
                self._ledger.unsaved.give_back(taken)
            else:
                self._ledger.unsaved.lost += len(taken)
            raise
        except BaseException:
            self._ledger.unsaved.give_back(taken)
            raise

    def _failed(self, reason: str) -> bool:
        lost = self._ledger.unsaved.lost
        trouble = f"history not kept: {reason}" + (f"; changes lost: {lost}" if lost else "")
        if trouble != self._ledger.trouble:
            log.warning("history: not kept", reason=reason, unsaved=len(self._ledger.unsaved))
            self._ledger.say(trouble)
        return False


async def _nothing_else(_: Store) -> None:
    """Writing what is unsaved is all."""


async def _set_or_later(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _tell_why_it_ended(writer: asyncio.Task[None]) -> None:
    """It only ends at the end: anything else is a bug that would otherwise be silent."""
    if not writer.cancelled() and writer.exception() is not None:
        log.error("history: the writer ended", exc_info=writer.exception())
