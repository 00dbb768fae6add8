"""How long pods like this one waited: a range from what was seen, or why it cannot be known.

Only pods that a sweep saw waiting are counted, and only those that started: it is what others waited, no promise.
"""

import statistics
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain

import msgspec

from bot.domain.history import History, Run
from bot.scheduling.history.changes import KEPT

RUNS_AT_LEAST = 5


class Alike(msgspec.Struct, frozen=True, kw_only=True):
    """Which pods count as alike. None and empty: whatever it is, they are."""

    gpus: int | None = None
    shape: str | None = None
    reason_id: str = ""
    namespace: str = ""
    owner: str = ""


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """Half of the pods waited between `low_seconds` and `high_seconds`, half of them less than `middle_seconds`.

    `longer` pods like it wait now for longer than `high_seconds` already: the more, the less the range says.
    `same_owner`: only pods of the same owner were counted.
    """

    low_seconds: float
    middle_seconds: float
    high_seconds: float
    runs: int
    longer: int
    same_owner: bool
    since: datetime


class Unknown(msgspec.Struct, frozen=True):
    """Why there is no range, as a clause."""

    reason: str


def estimate(history: History, alike: Alike, now: datetime) -> Range | Unknown:
    """How long pods like this waited in all, until they started, from the runs of the last 30 days.

    Where enough pods of the same owner have started, only those are counted, else all pods with the same number and
    kind of GPUs; in both cases only those that waited for the same reason too, where one is given.
    """
    if history.since is None:
        return Unknown(history.trouble or "no pod has been seen waiting yet")
    since = max(history.since, now - KEPT)
    runs = [run for run in _alike(history, alike) if run.started_at >= since]
    own = [run for run in runs if alike.owner and (run.namespace, run.owner) == (alike.namespace, alike.owner)]
    counted = own if len(own) >= RUNS_AT_LEAST else runs
    if len(counted) < RUNS_AT_LEAST:
        return Unknown(_too_few(len(counted), since))
    return _range(history, alike, counted, since, now)


def _range(history: History, alike: Alike, runs: Sequence[Run], since: datetime, now: datetime) -> Range:
    low, middle, high = statistics.quantiles((run.waited_seconds for run in runs), n=4, method="inclusive")
    same_owner = bool(alike.owner) and all((run.namespace, run.owner) == (alike.namespace, alike.owner) for run in runs)
    counted = alike if same_owner else msgspec.structs.replace(alike, owner="")
    return Range(
        low_seconds=low,
        middle_seconds=middle,
        high_seconds=high,
        runs=len(runs),
        longer=_waiting_longer(history, counted, high, now),
        same_owner=same_owner,
        since=since,
    )


def _alike(history: History, alike: Alike) -> Iterable[Run]:
    if alike.gpus is not None and alike.shape is not None:
        runs: Iterable[Run] = history.runs.get((alike.gpus, alike.shape), ())
    else:
        runs = chain.from_iterable(runs for likeness, runs in history.runs.items() if _fits(alike, *likeness))
    return (run for run in runs if not alike.reason_id or alike.reason_id in run.reasons)


def _waiting_longer(history: History, alike: Alike, seconds: float, now: datetime) -> int:
    latest = now - timedelta(seconds=seconds)
    return sum(
        wait.pending_since < latest
        and wait.started_at is None
        and _fits(alike, wait.gpus, wait.shape)
        and (not alike.owner or (wait.namespace, wait.owner) == (alike.namespace, alike.owner))
        and (not alike.reason_id or any(spell.reason_id == alike.reason_id for spell in wait.spells))
        for wait in history.waits.values()
    )


def _fits(alike: Alike, gpus: int, shape: str) -> bool:
    return alike.gpus in (None, gpus) and alike.shape in (None, shape)


def _too_few(count: int, since: datetime) -> str:
    day = f"{since.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    if count == 0:
        return f"no pod like this has started since {day}"
    return (
        f"only {count} {'pods' if count > 1 else 'pod'} like this {'have' if count > 1 else 'has'} started since {day}"
    )
