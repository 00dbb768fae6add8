"""Slack may deliver an event up to four times over six minutes; people should see one answer.

docs.slack.dev/apis/events-api: no 2xx (or ack) within three seconds means up to three more deliveries, at once, after
about one and about five minutes. Commands and clicks are not repeated by Slack, and are guarded all the same.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

import structlog

from bot.domain.errors import UpstreamError

log = structlog.get_logger()
KEPT_SECONDS = 600
KEPT_AT_MOST = 10_000
RECORD_SECONDS = 1.0  # that an answer waits for the record: after that memory alone decides


class Redelivery:
    """Remembers keys for ten minutes. `clock` returns seconds that only grow."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, float] = OrderedDict()

    def is_first(self, key: str) -> bool:
        """True once per key; later calls within ten minutes are repeats."""
        now = self._clock()
        while self._seen and (len(self._seen) > KEPT_AT_MOST or next(iter(self._seen.values())) < now - KEPT_SECONDS):
            self._seen.popitem(last=False)
        if key in self._seen:
            return False
        self._seen[key] = now
        return True


class Guard:
    """Memory first, then the record, which other replicas and the next process share.

    record: whether a key is there for the first time, and from now on it is; it may raise UpstreamError.
    """

    def __init__(self, memory: Redelivery, record: Callable[[str], Awaitable[bool]] | None = None) -> None:
        self._memory, self._record = memory, record
        self._late: set[asyncio.Task[bool]] = set()

    async def first(self, key: str) -> bool:
        """Whether to act on it."""
        if not self._memory.is_first(key):
            return False
        if self._record is None:
            return True
        asked: asyncio.Task[bool] = asyncio.ensure_future(_told(self._record, key))
        self._late.add(asked)
        asked.add_done_callback(self._late.discard)
        done, _ = await asyncio.wait({asked}, timeout=RECORD_SECONDS)
        return asked.result() if done else True


async def _told(record: Callable[[str], Awaitable[bool]], key: str) -> bool:
    try:
        return await record(key)
    except UpstreamError as error:
        log.warning("a delivery is not recorded", reason=str(error))
        return True
