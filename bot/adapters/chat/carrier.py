"""Runs the poster: at once when something was recorded, and by the clock, as long as this replica leads."""

import asyncio
from collections.abc import Callable

import structlog

from bot.adapters.chat.poster import Poster
from bot.adapters.store.errors import StoreUnavailableError

log = structlog.get_logger()
BUSY_SECONDS = 0.25  # between two looks while something is said
IDLE_SECONDS = 1.0  # while nothing is: others record posts in transactions of their own
AWAY_SECONDS = 5.0  # while the store cannot be used


class Carrier:
    """From `start` to `stop`. `wake` is for whoever has recorded something."""

    def __init__(self, poster: Poster, leads: Callable[[], bool] = lambda: True) -> None:
        self.poster, self._leads = poster, leads
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        self._wake.set()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="poster")

    async def stop(self) -> None:
        """What was not said yet is recorded, and is said by whoever comes next."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            pause_seconds = await self._stepped() if self._leads() else IDLE_SECONDS
            try:
                async with asyncio.timeout(pause_seconds):
                    await self._wake.wait()
            except TimeoutError:
                continue
            self._wake.clear()

    async def _stepped(self) -> float:
        try:
            return BUSY_SECONDS if await self.poster.step() else IDLE_SECONDS
        except StoreUnavailableError as error:
            log.warning("posts wait: their record cannot be used", reason=str(error))
            return AWAY_SECONDS
        except Exception:  # one post must not end all of them; the log has the trace
            log.exception("a post failed")
            return AWAY_SECONDS
