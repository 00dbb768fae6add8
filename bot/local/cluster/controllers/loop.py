"""The one loop that all controllers share: what changed is marked, marks are worked off in batches.

Marking a thing twice costs nothing, so a burst of writes becomes one look at the object they touch.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from bot.local.cluster.clock import Clock, Timers
from bot.local.cluster.controllers.access import CONFLICT, NOT_FOUND, Key
from bot.local.cluster.store import ApiError, Change, Store

LONGEST_TURN_SECONDS = 0.01
RETRY_SECONDS = 1.0

log = logging.getLogger(__name__)


class Controller(Protocol):
    """One controller: `observe` marks keys (cheap, called inside each write), `reconcile` brings one key in order."""

    name: str

    def observe(self, change: Change) -> None: ...

    def reconcile(self, key: Key) -> None: ...


class Queue:
    """The marks of one controller. `order` sorts a batch, by key where it is not given."""

    def __init__(self, timers: Timers, wake: Callable[[], None]) -> None:
        self._timers, self._wake = timers, wake
        self.marked: dict[Key, None] = {}
        self.order: Callable[[Key], object] | None = None

    def mark(self, key: Key) -> None:
        self.marked[key] = None
        self._wake()

    def mark_after(self, seconds: float, key: Key) -> None:
        """Mark later, in cluster seconds."""
        self._timers.after(seconds, lambda: self.mark(key))
        self._wake()

    def take(self) -> list[Key]:
        batch, self.marked = list(self.marked), {}
        if self.order:
            batch.sort(key=self.order)  # type: ignore[arg-type]  # keys of one queue compare with one another
        return batch


class WorkLoop:
    """`first` hears of each change before the controllers do."""

    def __init__(self, store: Store, clock: Clock, *, first: Callable[[Change], None]) -> None:
        self._store, self._first = store, first
        self._wake = asyncio.Event()
        self._timers = Timers(clock)
        self._stop_listening = [clock.on_change(self._wake.set)]
        self._work: list[tuple[Controller, Queue]] = []
        self._task: asyncio.Task[None] | None = None
        self.busy = False

    def queue(self) -> Queue:
        return Queue(self._timers, self._wake.set)

    def add(self, controller: Controller, queue: Queue) -> None:
        """Controllers are asked in the order in which they were added."""
        self._work.append((controller, queue))

    @property
    def idle(self) -> bool:
        return not self.busy and not any(queue.marked for _, queue in self._work)

    def start(self) -> None:
        for resource in self._store.resources.values():
            for obj in self._store.list(resource):
                self._observe(Change(self._store.version, resource, "ADDED", obj, None, b""))
        self._stop_listening.append(self._store.subscribe(self._observe))
        self._task = asyncio.create_task(self._run(), name="controllers")

    async def stop(self) -> None:
        for stop in self._stop_listening:
            stop()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _observe(self, change: Change) -> None:
        self._first(change)
        for controller, _ in self._work:
            controller.observe(change)

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            self._timers.run_due()
            if any(queue.marked for _, queue in self._work):
                self.busy = True
                await self._drain()
                self.busy = False
                await asyncio.sleep(0)
            else:
                await self._timers.wait(self._wake)

    async def _drain(self) -> None:
        started = time.monotonic()
        for controller, queue in self._work:
            for key in queue.take():
                _attempt(controller, queue, key)
                if time.monotonic() - started > LONGEST_TURN_SECONDS:
                    await asyncio.sleep(0)
                    started = time.monotonic()


def _attempt(controller: Controller, queue: Queue, key: Key) -> None:
    try:
        controller.reconcile(key)
    except ApiError as error:
        if error.code == CONFLICT:
            queue.mark(key)
        elif error.code != NOT_FOUND:
            log.warning("%s could not settle %s/%s: %s", controller.name, *key, error)
            queue.mark_after(RETRY_SECONDS, key)
    except Exception:  # one broken object must not stop the controllers of all others
        log.exception("%s failed on %s/%s", controller.name, *key)


def mark_all(queue: Queue, keys: Iterable[Key]) -> None:
    for key in keys:
        queue.mark(key)
