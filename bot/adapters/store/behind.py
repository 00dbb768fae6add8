"""Writing behind everybody's back: memory is right at once, the database when it can be.

Whoever remembers something gives `work` (write what is unsaved, through an open store) and calls `wake`. While the work
fails it is tried again with growing pauses, and `trouble` says in a clause why what is known now would be forgotten.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import structlog

from bot.adapters.cluster.backoff import Backoff
from bot.adapters.store.errors import StoreUnavailableError
from bot.domain.errors import ConfigError

log = structlog.get_logger()
TRY_SECONDS = 30.0  # a database that takes longer does not answer
START_SECONDS = 10.0  # nobody is answered before the start is over
CLOSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 300.0
Work = Callable[[], Awaitable[None]]


class Behind:
    """One writer of one matter, `what` as the log calls it. Work that fails has to keep what it could not write."""

    def __init__(self, what: str, work: Work, *, backoff: Backoff | None = None) -> None:
        self.trouble = ""
        self._what, self._work = what, work
        self._backoff = backoff or Backoff(longest_seconds=LONGEST_PAUSE_SECONDS)
        self._one_at_a_time = asyncio.Lock()
        self._wake = asyncio.Event()
        self._closing = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """There is something to write."""
        self._wake.set()

    async def start(self) -> None:
        """Try once, and write behind from then on. Raises ConfigError for what only a person can mend."""
        if not await self.attempt(self._work, START_SECONDS):
            self._wake.set()
        self._writer = asyncio.create_task(self._write_behind(), name=f"{self._what}-writer")

    async def close(self) -> None:
        """Write what is left, once."""
        self._closing.set()
        self._wake.set()
        if self._writer is not None:
            await asyncio.wait([self._writer], timeout=CLOSE_SECONDS)
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)

    async def attempt(self, work: Work, limit_seconds: float = TRY_SECONDS) -> bool:
        """Whether it went well; if not, `trouble` says why."""
        async with self._one_at_a_time:
            try:
                async with asyncio.timeout(limit_seconds):
                    await work()
            except StoreUnavailableError as error:
                return self._failed(str(error))
            except TimeoutError:
                return self._failed(f"the database took longer than {limit_seconds:.0f} s")
            except ConfigError as error:
                if self._writer is None:  # it is the start, and a person is there to read it
                    raise
                return self._failed(str(error))
        if self.trouble:
            log.info("kept again", what=self._what)
            self.trouble = ""
        return True

    async def _write_behind(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            written = await self.attempt(self._work)
            if self._closing.is_set():
                return
            if written:
                self._backoff.reset()
            else:
                await _set_or_later(self._closing, self._backoff.next_seconds())
                self._wake.set()

    def _failed(self, reason: str) -> bool:
        if reason != self.trouble:
            log.warning("not kept", what=self._what, reason=reason)
        self.trouble = reason
        return False


async def _set_or_later(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
