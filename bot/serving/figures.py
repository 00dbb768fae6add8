"""What the engines of one model did lately, together: rates, queue, cache, latency, and their course over time.

Rates and latencies come from the last minutes of the windows (bot.domain.engine_window). None is not known, never 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.engine import EngineReading, Histogram
from bot.domain.engine_window import Delta, EngineWindow

RECENT_SECONDS = 60.0  # rates of now
BUCKETS = 12  # of a course


@dataclass(frozen=True, slots=True)
class Figures:
    """Of `told` engines together, out of `asked`. A course is oldest first; None where nothing was told in that part.

    kv_cache_usage: 0 to 1, of the fullest. ended, failed: requests in the whole window of `seconds`; since: of the
    oldest reading. versions and models: as the engines say themselves.
    """

    asked: int = 0
    told: int = 0
    tokens_per_second: float | None = None
    prompt_tokens_per_second: float | None = None
    running: float | None = None
    waiting: float | None = None
    kv_cache_usage: float | None = None
    prefix_hits: float | None = None
    accepted: float | None = None
    preempted: float | None = None
    ended: float | None = None
    failed: float | None = None
    seconds: float = 0.0
    ttft: Histogram | None = None
    itl: Histogram | None = None
    versions: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    courses: Mapping[str, tuple[float | None, ...]] | None = None

    @property
    def known(self) -> bool:
        return self.told > 0

    @property
    def partial(self) -> bool:
        """Some are told and some are not: sums are of a part."""
        return 0 < self.told < self.asked


def figures(windows: Sequence[EngineWindow | None]) -> Figures:
    """One window for each engine that is asked about; None or an empty one where it was not told."""
    told = [one for one in windows if one]
    last = [one.last for one in told if one.last is not None]
    recent = [_recent(one) for one in told]
    whole = [one.whole for one in told]
    return Figures(
        asked=len(windows),
        told=len(told),
        tokens_per_second=_sum(_rate(one, "generated_tokens") for one in recent),
        prompt_tokens_per_second=_sum(_rate(one, "prompt_tokens") for one in recent),
        running=_sum(one.running for one in last),
        waiting=_sum(one.waiting for one in last),
        kv_cache_usage=max((one.kv_cache_usage for one in last if one.kv_cache_usage is not None), default=None),
        prefix_hits=_share(whole, "prefix_hits", "prefix_queries"),
        accepted=_share(whole, "accepted_drafts", "drafts"),
        preempted=_sum(_grown(one, "preemptions") for one in whole),
        ended=_sum(_grown(one, "ended") for one in whole),
        failed=_sum(_grown(one, "errors") for one in whole),
        seconds=max((one.seconds for one in told), default=0.0),
        ttft=_together(one.ttft for one in recent if one is not None),
        itl=_together(one.itl for one in recent if one is not None),
        versions=tuple(sorted({one.version for one in last if one.version})),
        models=tuple(dict.fromkeys(name for one in last for name in one.models if name)),
        courses=_courses(told),
    )


def _recent(window: EngineWindow) -> Delta | None:
    return window.over(RECENT_SECONDS) or window.whole


def _rate(delta: Delta | None, name: str) -> float | None:
    return None if delta is None else delta.per_second(name)


def _grown(delta: Delta | None, name: str) -> float | None:
    return None if delta is None else delta.grown(name)


def _sum(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) if known else None


def _share(deltas: Sequence[Delta | None], part: str, of: str) -> float | None:
    both = [(_grown(one, part), _grown(one, of)) for one in deltas]
    known = [(some, every) for some, every in both if some is not None and every is not None]
    total = sum(every for _, every in known)
    return sum(some for some, _ in known) / total if total > 0 else None


def _together(histograms: Iterable[Histogram | None]) -> Histogram | None:
    """Of engines with the same bounds; others cannot be added up, and the largest of them speaks."""
    known = [one for one in histograms if one is not None and one.count > 0]
    if not known:
        return None
    bounds = max(known, key=lambda one: one.count).bounds
    alike = [one for one in known if one.bounds == bounds]
    counts = tuple(sum(column) for column in zip(*(one.counts for one in alike), strict=True))
    return Histogram(bounds, counts, sum(one.sum for one in alike))


def _courses(windows: Sequence[EngineWindow]) -> dict[str, tuple[float | None, ...]]:
    times = [at for window in windows for one in window.readings if (at := one.taken_at) is not None]
    if len(times) < 2 or min(times) == max(times):
        return {}
    first, last = min(times), max(times)
    rates = {"tokens_per_second": "generated_tokens", "prompt_tokens_per_second": "prompt_tokens"}
    found = {name: _summed([_rates(one, field, first, last) for one in windows]) for name, field in rates.items()}
    for name in ("running", "waiting"):
        found[name] = _summed([_levels(one, name, first, last) for one in windows])
    found["kv_cache_usage"] = _highest([_levels(one, "kv_cache_usage", first, last) for one in windows])
    return {name: course for name, course in found.items() if any(one is not None for one in course)}


def _place(at: datetime, first: datetime, last: datetime) -> int:
    share = (at - first).total_seconds() / (last - first).total_seconds()
    return min(BUCKETS - 1, int(share * BUCKETS))


def _rates(window: EngineWindow, name: str, first: datetime, last: datetime) -> list[float | None]:
    """A rate counts for the whole time between its two readings."""
    found: list[float | None] = [None] * BUCKETS
    for step in window.steps():
        rate = step.per_second(name)
        if rate is None or step.before.taken_at is None or step.after.taken_at is None:
            continue
        begin, end = _place(step.before.taken_at, first, last), _place(step.after.taken_at, first, last)
        for place in range(begin, end + 1):
            found[place] = rate if found[place] is None else found[place]
    return found


def _levels(window: EngineWindow, name: str, first: datetime, last: datetime) -> list[float | None]:
    """The last reading in a part of time, or else the one before it."""
    found: list[float | None] = [None] * BUCKETS
    for one in window.readings:
        value = getattr(one, name)
        if one.taken_at is not None and value is not None:
            found[_place(one.taken_at, first, last)] = value
    for place in range(1, BUCKETS):
        found[place] = found[place - 1] if found[place] is None else found[place]
    return found


def _summed(courses: Sequence[Sequence[float | None]]) -> tuple[float | None, ...]:
    return tuple(_sum(column) for column in zip(*courses, strict=True))


def _highest(courses: Sequence[Sequence[float | None]]) -> tuple[float | None, ...]:
    columns = ([one for one in column if one is not None] for column in zip(*courses, strict=True))
    return tuple(max(column, default=None) for column in columns)


def window_of(readings: Iterable[EngineReading]) -> EngineWindow:
    """Of single readings, where nobody keeps windows."""
    return EngineWindow().with_newer(readings)
