"""Acknowledgements before answers: Slack waits three seconds for the first, people wait longer for the second.

An answer is computed in one piece, and while that lasts nothing else moves. So when many people ask at once, answers
wait until no acknowledgement has gone out for a moment, and then come one after the other.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

QUIET_SECONDS = 0.01  # Bolt takes about one millisecond from an envelope to its acknowledgement
LONGEST_SECONDS = 0.25  # that an answer waits for quiet: where people never stop asking, answers come in between


class Turns:
    """`acked` after each acknowledgement; `async with answering()` around what computes an answer."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._one_at_a_time = asyncio.Lock()
        self._acked_at = clock() - QUIET_SECONDS

    def acked(self) -> None:
        self._acked_at = self._clock()

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[None]:
        async with self._one_at_a_time:
            give_up_at = self._clock() + LONGEST_SECONDS
            while (now := self._clock()) < give_up_at and now - self._acked_at < QUIET_SECONDS:
                await self._sleep(QUIET_SECONDS)
            yield
