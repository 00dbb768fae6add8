"""What a pod waited for, one after the other: as spells, and short enough for a sentence.

pending 6 h: 4 h quota, then 2 h fragmentation
"""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from bot.domain.history import UNSEEN, History, Spell

SHORTEST_SECONDS = 60.0
SHORTEST_SHARE = 0.02  # of the whole
PHASES_AT_MOST = 4


class Phase(msgspec.Struct, frozen=True, gc=False):
    """So long for that reason; `sentence` is the verdict when it began."""

    reason_id: str
    sentence: str
    seconds: float


def story(history: History, uid: str) -> tuple[Spell, ...]:
    """The spells of a pod without a gap from when it began to wait; empty where nothing is remembered of it.

    Time before the first spell that is kept is a spell with the reason `UNSEEN`.
    """
    wait = history.waits.get(uid)
    if wait is None:
        return ()
    first = wait.spells[0].began_at if wait.spells else wait.ended_at
    if first is not None and first <= wait.pending_since:
        return wait.spells
    return (Spell(UNSEEN, "", wait.pending_since, first), *wait.spells)


def phases(spells: Iterable[Spell], now: datetime, *, at_most: int = PHASES_AT_MOST) -> tuple[Phase, ...]:
    """The same time in few parts: neighbours with one reason are joined, short ones go to their longer neighbour.

    The seconds add up to those of the spells. The last part is always the last reason, however short: it is today's.
    """
    parts = _joined(Phase(spell.reason_id, spell.sentence, spell.seconds(now)) for spell in spells)
    shortest = max(SHORTEST_SECONDS, SHORTEST_SHARE * sum(part.seconds for part in parts))
    while len(parts) > 1:
        place = min(range(len(parts) - 1), key=lambda index: parts[index].seconds)
        if parts[place].seconds >= shortest and len(parts) <= max(1, at_most):
            break
        parts = _joined(_without(parts, place))
    return tuple(parts)


def _without(parts: list[Phase], place: int) -> list[Phase]:
    """The parts with one given to its longer neighbour; the first has only the next."""
    before, after = place - 1, place + 1
    heir = before if before >= 0 and parts[before].seconds > parts[after].seconds else after
    grown = msgspec.structs.replace(parts[heir], seconds=parts[heir].seconds + parts[place].seconds)
    return [grown if index == heir else part for index, part in enumerate(parts) if index != place]


def _joined(parts: Iterable[Phase]) -> list[Phase]:
    found: list[Phase] = []
    for part in parts:
        if found and found[-1].reason_id == part.reason_id:
            found[-1] = msgspec.structs.replace(found[-1], seconds=found[-1].seconds + part.seconds)
        else:
            found.append(part)
    return found
