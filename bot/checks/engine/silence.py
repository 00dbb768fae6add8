"""How long an engine had requests and made no token: the heartbeat, from its readings alone. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.domain.engine import EngineReading, Rank
from bot.domain.engine_window import EngineWindow

READINGS = 3  # between two that are alike something may have come and gone


@dataclass(frozen=True, slots=True)
class Silence:
    """`since`: the first of `readings` readings in a row with requests and the same tokens. rank: of several, whose."""

    since: datetime
    seconds: float
    readings: int
    rank: str = ""


def silence(window: EngineWindow) -> Silence | None:
    """None where a token came between the last two readings, or where nothing had to come."""
    last = window.last
    if last is None or last.sleeping:
        return None
    whole = _silent(window.readings, _working(last), _made(last))
    if whole is not None or len(last.ranks) < 2:
        return whole
    return next((found for rank in last.ranks if (found := _of_rank(window, rank)) is not None), None)


def _silent(
    readings: tuple[EngineReading, ...], works: bool, made: tuple[float | None, ...], rank: str = ""
) -> Silence | None:
    if not works or made[0] is None:
        return None
    alike = list(_alike(readings, made, rank))
    first, last = alike[-1].taken_at, alike[0].taken_at
    if len(alike) < READINGS or first is None or last is None:
        return None
    return Silence(first, (last - first).total_seconds(), len(alike), rank)


def _alike(readings: tuple[EngineReading, ...], made: tuple[float | None, ...], rank: str) -> Iterator[EngineReading]:
    """The newest first, until one had nothing to do or had made another number of tokens."""
    for one in reversed(readings):
        part = next((other for other in one.ranks if other.name == rank), None) if rank else None
        same = (part is not None and _busy(part) and (part.progress,) == made) if rank else False
        if not same and (rank or not _working(one) or _made(one) != made):
            return
        yield one


def _of_rank(window: EngineWindow, rank: Rank) -> Silence | None:
    """Others go on while this one stands still: their steps say nothing of it."""
    return _silent(window.readings, _busy(rank), (rank.progress,), rank.name) if rank.name else None


def _working(reading: EngineReading) -> bool:
    return bool(reading.requests) and not reading.sleeping


def _busy(rank: Rank) -> bool:
    return bool(rank.running)


def _made(reading: EngineReading) -> tuple[float | None, ...]:
    """Steps count too: a prompt of a million tokens is computed in many of them before its first token is there."""
    if reading.progress is None:
        return reading.iterations, None
    return reading.progress, reading.iterations
