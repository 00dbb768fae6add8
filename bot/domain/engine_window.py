"""The last readings of one engine, and what happened between two of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from bot.domain.engine import NOTHING, EngineReading, Histogram

KEPT = 18  # readings: those of the last two minutes and a half, and of ten minutes before
CLOSE_SECONDS = 150.0  # so far back every reading is kept
APART_SECONDS = 50.0  # and before that one in so many


@dataclass(frozen=True)
class Delta:
    """From `before` to `after`. An engine that started anew between them is counted from its start on."""

    before: EngineReading
    after: EngineReading

    @cached_property
    def seconds(self) -> float | None:
        """None where one of them has no time."""
        if self.before.taken_at is None or self.after.taken_at is None:
            return None
        return (self.after.taken_at - self.before.taken_at).total_seconds()

    @cached_property
    def restarted(self) -> bool:
        """Totals that fell."""
        return any(_fell(self.before, self.after, name) for name in ("progress", "ended", "iterations", "preemptions"))

    def grown(self, name: str) -> float | None:
        """How much a total of `EngineReading` grew; None where either of them does not tell it."""
        now, then = getattr(self.after, name), getattr(self.before, name)
        if now is None or then is None:
            return None
        return float(now if self.restarted or now < then else now - then)

    def per_second(self, name: str) -> float | None:
        grown = self.grown(name)
        return None if grown is None or not self.seconds or self.seconds <= 0 else grown / self.seconds

    @cached_property
    def finished(self) -> Mapping[str, float]:
        """Requests that ended meanwhile, by how."""
        before = NOTHING if self.restarted else self.before.finished
        return {how: max(0.0, total - before.get(how, 0.0)) for how, total in self.after.finished.items()}

    @cached_property
    def ttft(self) -> Histogram | None:
        return self._observed("ttft")

    @cached_property
    def itl(self) -> Histogram | None:
        return self._observed("itl")

    def _observed(self, name: str) -> Histogram | None:
        now: Histogram | None = getattr(self.after, name)
        then: Histogram | None = getattr(self.before, name)
        return None if now is None or then is None else now.since(None if self.restarted else then)


@dataclass(frozen=True)
class EngineWindow:
    """Readings of one engine, the oldest first; those that were not told are left out of it."""

    readings: tuple[EngineReading, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.readings)

    @property
    def last(self) -> EngineReading | None:
        return self.readings[-1] if self.readings else None

    @property
    def seconds(self) -> float:
        """From the first to the last."""
        return (self.whole.seconds or 0.0) if self.whole is not None else 0.0

    @cached_property
    def whole(self) -> Delta | None:
        return Delta(self.readings[0], self.readings[-1]) if len(self.readings) > 1 else None

    def over(self, seconds: float) -> Delta | None:
        """The last so many seconds, or a little more; None where the readings do not reach so far back."""
        last = self.last
        if last is None or last.taken_at is None:
            return None
        for one in reversed(self.readings[:-1]):
            if one.taken_at is not None and (last.taken_at - one.taken_at).total_seconds() >= seconds:
                return Delta(one, last)
        return None

    def steps(self) -> Iterator[Delta]:
        """From each reading to the next, the newest first."""
        for place in range(len(self.readings) - 1, 0, -1):
            yield Delta(self.readings[place - 1], self.readings[place])

    def with_newer(self, readings: Iterable[EngineReading]) -> "EngineWindow":
        """The last KEPT of both, in the order of their times; a time that is there already is not taken twice."""
        known = {one.taken_at for one in self.readings}
        newer = [one for one in readings if one.told and (one.taken_at is None or one.taken_at not in known)]
        if not newer:
            return self
        return EngineWindow(_thinned(sorted((*self.readings, *newer), key=_when)))


NO_WINDOW = EngineWindow()


def _thinned(readings: list[EngineReading]) -> tuple[EngineReading, ...]:
    """All of the last minutes, fewer from before; what was kept once stays until it is too old."""
    newest = _when(readings[-1])
    kept: list[EngineReading] = []
    for one in readings:
        if not kept or newest - _when(one) <= CLOSE_SECONDS or _when(one) - _when(kept[-1]) >= APART_SECONDS:
            kept.append(one)
    return tuple(kept[-KEPT:])


def _when(reading: EngineReading) -> float:
    return reading.taken_at.timestamp() if isinstance(reading.taken_at, datetime) else float("-inf")


def _fell(before: EngineReading, after: EngineReading, name: str) -> bool:
    then, now = getattr(before, name), getattr(after, name)
    return then is not None and now is not None and now < then
