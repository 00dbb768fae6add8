"""The cluster's clock: it may run faster than ours, start in the past and jump forward, but never backward."""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def rfc3339(at: datetime) -> str:
    """A time as the Kubernetes API writes it: UTC, whole seconds."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def rfc3339_micro(at: datetime) -> str:
    """A time as Lease and Event series write it: UTC, microseconds."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Clock:
    """Cluster time. `speed` is how many cluster seconds pass in one second of ours.

    >>> clock = Clock(speed=60, at=datetime(2026, 1, 1, tzinfo=UTC))
    >>> clock.speed
    60
    """

    def __init__(self, *, speed: float = 1.0, at: datetime | None = None) -> None:
        self._speed = speed
        self._at = at or datetime.now(UTC)
        self._since = time.monotonic()
        self._listeners: list[Callable[[], None]] = []

    def __call__(self) -> datetime:
        return self._at + timedelta(seconds=(time.monotonic() - self._since) * self._speed)

    now = __call__

    @property
    def speed(self) -> float:
        return self._speed

    def set_speed(self, speed: float) -> None:
        self._anchor(self.now(), speed)

    def move_to(self, at: datetime) -> None:
        """Jump forward to `at`; what falls due on the way is done at once. An earlier time changes nothing."""
        if at > self.now():
            self._anchor(at, self._speed)

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each jump or change of speed; returns how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def real_seconds_until(self, at: datetime) -> float:
        return max(0.0, (at - self.now()).total_seconds() / self._speed)

    def _anchor(self, at: datetime, speed: float) -> None:
        self._at, self._speed, self._since = at, speed, time.monotonic()
        for listener in list(self._listeners):
            listener()


class Timers:
    """What falls due when, in cluster time: callables in a heap."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[datetime, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def __len__(self) -> int:
        return len(self._heap)

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        due = self._clock.now() + timedelta(seconds=seconds)
        heapq.heappush(self._heap, (due, next(self._numbers), action))

    def run_due(self) -> None:
        now = self._clock.now()
        while self._heap and self._heap[0][0] <= now:
            heapq.heappop(self._heap)[2]()

    async def wait(self, wake: asyncio.Event, *, longest_seconds: float = 60.0) -> None:
        """Until the next timer is due, `wake` is set, or `longest_seconds` of ours have passed."""
        seconds = self._clock.real_seconds_until(self._heap[0][0]) if self._heap else longest_seconds
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        try:
            async with asyncio.timeout(min(seconds, longest_seconds)):
                await wake.wait()
        except TimeoutError:
            return
