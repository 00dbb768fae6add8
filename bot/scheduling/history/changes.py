"""What a sweep changes in a history, and the history with it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from bot.domain.history import Change, History, Likeness, Observation, Run, State, Wait
from bot.scheduling.history.wait import after, continued

KEPT = timedelta(days=30)  # older runs say little of how long a pod waits today
RUNS_ALIKE_AT_MOST = 500  # the newest of one likeness
LIKENESSES_AT_MOST = 1_000
UID_AT_MOST = 128


def changes(history: History, observations: Iterable[Observation], now: datetime) -> tuple[Change, ...]:
    """Only what differs from what is remembered, one for each pod. A pod that is not observed has not changed."""
    found: dict[str, Change] = {}
    for seen in observations:
        if not _usable(seen.uid):
            continue
        before = found.get(seen.uid)
        known = before.wait if before else history.waits.get(seen.uid)
        wait = after(known, seen, now)
        if wait is None or wait is known:
            continue
        first = 1 if known is None else max(1, known.opened)  # the last spell that was known has ended
        found[seen.uid] = Change(wait, min(first, before.first) if before else first)
    return tuple(found.values())


def gone(history: History, alive: Collection[str]) -> tuple[Observation, ...]:
    """For each remembered pod whose uid is not among those alive, the observation that it is gone.

    Ask only when the pods of the cluster are known: what could not be read is not gone.
    """
    return tuple(
        Observation(uid=wait.uid, namespace=wait.namespace, name=wait.name, state=State.GONE)
        for wait in history.waits.values()
        if wait.uid not in alive
    )


def applied(history: History, changed: Sequence[Change], now: datetime) -> History:
    """The history with those changes; the same one where there are none."""
    if not changed:
        return history
    waits, runs = dict(history.waits), dict(history.runs)
    for change in changed:
        wait = change.wait
        before = waits.pop(wait.uid, None)
        if wait.gone_at is None:
            waits[wait.uid] = wait
        if wait.started_at is not None and (before is None or before.started_at is None):
            runs[wait.likeness] = (*runs.get(wait.likeness, ()), run_of(wait, wait.started_at))[-RUNS_ALIKE_AT_MOST:]
    return msgspec.structs.replace(history, waits=waits, runs=runs, since=history.since or now)


def joined(stored: History, unsaved: Iterable[Change]) -> tuple[Change, ...]:
    """Changes that were made without knowing what is stored, so that they continue it."""
    return tuple(_continued(stored.waits.get(change.wait.uid), change) for change in unsaved)


def _continued(stored: Wait | None, change: Change) -> Change:
    if stored is None:
        return change
    return Change(continued(stored, change.wait, change.first), max(1, stored.opened))


def aged(history: History, now: datetime) -> History:
    """Without runs that are too old, and without the least recent likenesses where there are too many."""
    oldest = now - KEPT
    runs = {likeness: _since(runs, oldest) for likeness, runs in history.runs.items()}
    newest = sorted((likeness for likeness in runs if runs[likeness]), key=lambda one: runs[one][-1].started_at)
    return msgspec.structs.replace(
        history,
        runs={likeness: runs[likeness] for likeness in newest[-LIKENESSES_AT_MOST:]},
        waits={uid: wait for uid, wait in history.waits.items() if not (wait.started_at and wait.started_at < oldest)},
    )


def by_likeness(runs: Iterable[tuple[Likeness, Run]]) -> Mapping[Likeness, tuple[Run, ...]]:
    """Runs as a history holds them. `runs` come oldest first."""
    found: dict[Likeness, list[Run]] = {}
    for likeness, run in runs:
        found.setdefault(likeness, []).append(run)
    return {likeness: tuple(alike[-RUNS_ALIKE_AT_MOST:]) for likeness, alike in found.items()}


def run_of(wait: Wait, started_at: datetime) -> Run:
    """What estimates need of a wait that ended with a start."""
    reasons = tuple(dict.fromkeys(spell.reason_id for spell in wait.spells))
    return Run(wait.namespace, wait.owner, reasons, (started_at - wait.pending_since).total_seconds(), started_at)


def _since(runs: tuple[Run, ...], oldest: datetime) -> tuple[Run, ...]:
    return tuple(run for run in runs if run.started_at >= oldest)


def _usable(uid: str) -> bool:
    """Whether that can be a key everywhere: a uid is 36 characters, a static pod's a hash."""
    return 0 < len(uid) <= UID_AT_MOST and uid.isascii() and uid.isprintable()
