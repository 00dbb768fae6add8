"""How long a pod that was turned down waits before a change in the cluster brings it up again.

Source: kubernetes/kubernetes:pkg/scheduler/backend/queue/scheduling_queue.go (one second, doubled up to ten).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.local.cluster.clock import Clock
from bot.local.cluster.controllers.access import Key
from bot.local.cluster.controllers.loop import Queue

FIRST_SECONDS, LONGEST_SECONDS = 1.0, 10.0


@dataclass(slots=True)
class _Wait:
    seconds: float
    until: datetime
    marked: bool = False


class Backoff:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waits: dict[Key, _Wait] = {}

    def failed(self, key: Key) -> None:
        before = self._waits.get(key)
        seconds = min(before.seconds * 2, LONGEST_SECONDS) if before else FIRST_SECONDS
        self._waits[key] = _Wait(seconds, self._clock.now() + timedelta(seconds=seconds))

    def forget(self, key: Key) -> None:
        self._waits.pop(key, None)

    def mark(self, queue: Queue, key: Key) -> None:
        """Now, or when the wait is over; only once for each wait."""
        wait = self._waits.get(key)
        left = (wait.until - self._clock.now()).total_seconds() if wait else 0
        if wait is None or left <= 0:
            queue.mark(key)
        elif not wait.marked:
            wait.marked = True
            queue.mark_after(left, key)
