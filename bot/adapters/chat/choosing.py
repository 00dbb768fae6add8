"""Which posts go out next: one for each channel, urgent ones first, else the one that has waited longest."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.adapters.chat.pace import Pace
from bot.domain.posting import Waiting


@dataclass(frozen=True, slots=True)
class Next:
    """One post, and the channel and thread where it is said now."""

    one: Waiting
    channel: str
    thread_ts: str = ""


def chosen(waiting: Iterable[Waiting], pace: Pace, now: datetime, fallback: str = "") -> list[Next]:
    """fallback: where roots go whose own channel cannot be posted in; their threads go with them."""
    found: dict[str, Next] = {}
    for one in sorted(waiting, key=_order):
        there = placed(one, pace, now, fallback)
        if there is not None and there.channel not in found and pace.may(one, there.channel, now):
            found[there.channel] = there
    return list(found.values())


def placed(one: Waiting, pace: Pace, now: datetime, fallback: str) -> Next | None:
    """None where it can be said nowhere now."""
    if one.ts:
        there = Next(one, one.posted_channel)
    elif one.root_ts:
        there = Next(one, one.root_channel, one.root_ts)
    elif one.tried_at is not None:
        return Next(one, one.posted_channel)  # where it may stand already
    else:
        there = Next(one, fallback if fallback and pace.broken(one.channel, now) else one.channel)
    return None if pace.broken(there.channel, now) else there


def _order(one: Waiting) -> tuple[bool, int]:
    """An edit is no news that others would have to wait for."""
    return (not (one.urgent and not one.ts), one.place)
