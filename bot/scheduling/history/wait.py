"""One pod's wait from observation to observation: it begins, its reason turns, it ends.

Times only grow within a wait, whatever the clock does, so spells never overlap. What is seen is kept once: a reason
that stays, or that is the same after a restart, opens nothing.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from bot.domain.history import SPELLS_AT_MOST, UNNAMED, Observation, Spell, State, Wait
from bot.domain.text import inert

FRESH = timedelta(minutes=3)  # a pod that is first seen so soon has waited for its first reason from the start
SENTENCE_AT_MOST = 500
NAME_AT_MOST = 253
GPUS_AT_MOST = 1_000_000


def after(known: Wait | None, seen: Observation, now: datetime) -> Wait | None:
    """The wait after that observation: `known` itself where nothing changed, None where there is nothing to keep.

    A pod that is first seen when it runs is not kept: nobody knows what it waited for.
    """
    if known is None:
        return begun(seen, now) if seen.state is State.WAITING else None
    if seen.state is State.GONE:
        return _gone(known, _within(seen.since, now))
    if known.ended_at is not None:
        return known
    if seen.state is State.STARTED:
        return ended(known, _within(seen.since, now), started=True)
    return turned(known, seen.reason_id, seen.sentence, now)


def begun(seen: Observation, now: datetime) -> Wait:
    """A wait with its first spell."""
    since = _within(seen.since, now)
    return Wait(
        uid=seen.uid,
        namespace=inert(seen.namespace, NAME_AT_MOST),
        name=inert(seen.name, NAME_AT_MOST),
        owner=inert(seen.owner, NAME_AT_MOST),
        gpus=max(0, min(seen.gpus, GPUS_AT_MOST)),
        shape=inert(seen.shape, NAME_AT_MOST),
        pending_since=since,
        seen_at=now,
        spells=(_spell(seen.reason_id, seen.sentence, since if now - since <= FRESH else now),),
        opened=1,
    )


def turned(wait: Wait, reason_id: str, sentence: str, at: datetime) -> Wait:
    """The wait with another reason from that time on; the same wait where the reason is the same."""
    if not wait.spells:
        return _opened(wait, (), _spell(reason_id, sentence, max(at, wait.pending_since)))
    last = wait.spells[-1]
    if last.reason_id in (reason_id, _reason(reason_id)):
        return wait
    at = max(at, last.began_at)
    return _opened(wait, _closed(wait.spells, at), _spell(reason_id, sentence, at))


def ended(wait: Wait, at: datetime, *, started: bool) -> Wait:
    """The wait at its end: the pod started, or it was deleted before."""
    at = max(at, wait.spells[-1].began_at if wait.spells else wait.pending_since)
    whole = msgspec.structs.replace(wait, spells=_closed(wait.spells, at))
    return msgspec.structs.replace(whole, started_at=at) if started else msgspec.structs.replace(whole, gone_at=at)


def chained(wait: Wait) -> Wait:
    """A wait as it was read from the store, where rows may be missing: each spell lasts until the next begins."""
    spells: list[Spell] = []
    for spell in wait.spells[-SPELLS_AT_MOST:]:
        began_at = max(spell.began_at, spells[-1].began_at if spells else wait.pending_since)
        spells = [*_closed(spells, began_at), msgspec.structs.replace(spell, began_at=began_at, ended_at=None)]
    whole = msgspec.structs.replace(wait, spells=tuple(spells))
    if wait.ended_at is None or not spells:
        return whole
    return msgspec.structs.replace(whole, spells=_closed(spells, max(wait.ended_at, spells[-1].began_at)))


def continued(stored: Wait, fresh: Wait, first: int = 1) -> Wait:
    """What is stored, continued by what was seen since: the spells of `fresh` from number `first` on, and its end."""
    wait = stored
    if wait.ended_at is None:
        for _, spell in fresh.numbered(first):
            wait = turned(wait, spell.reason_id, spell.sentence, spell.began_at)
        if fresh.ended_at is not None:
            wait = ended(wait, fresh.ended_at, started=fresh.started_at is not None)
    return wait if fresh.gone_at is None else _gone(wait, fresh.gone_at)


def _gone(wait: Wait, at: datetime) -> Wait:
    if wait.gone_at is not None:
        return wait
    if wait.started_at is None:
        return ended(wait, at, started=False)
    return msgspec.structs.replace(wait, gone_at=max(at, wait.started_at))


def _opened(wait: Wait, before: tuple[Spell, ...], spell: Spell) -> Wait:
    return msgspec.structs.replace(wait, spells=(*before, spell)[-SPELLS_AT_MOST:], opened=wait.opened + 1)


def _closed(spells: Sequence[Spell], at: datetime) -> tuple[Spell, ...]:
    """The same spells, the last of them ended at that time."""
    return (*spells[:-1], *(msgspec.structs.replace(last, ended_at=at) for last in spells[-1:]))


def _spell(reason_id: str, sentence: str, at: datetime) -> Spell:
    return Spell(_reason(reason_id), inert(sentence, SENTENCE_AT_MOST), at)


def _reason(reason_id: str) -> str:
    return inert(reason_id, NAME_AT_MOST) or UNNAMED


def _within(since: datetime | None, now: datetime) -> datetime:
    """What the cluster says, but not later than now: its clock is another."""
    return now if since is None else min(since, now)
