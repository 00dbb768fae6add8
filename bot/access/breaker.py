"""The breaker: how much may be changed within an hour, whoever asks and approves. Undoing is never counted or stopped.

What was merely asked for does not count; what failed half-way does, and so does what was undone since.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from bot.access.rules import Limits
from bot.domain.change import Change, ChangeState, Size
from bot.domain.words import count

HOUR = timedelta(hours=1)
_NOT_BEGUN = (ChangeState.PROPOSED, ChangeState.REFUSED, ChangeState.EXPIRED, ChangeState.OUTDATED)
_WORDS = (("nodes", "node"), ("replicas", "replica"), ("gpus", "GPU"))


def tripped(limits: Limits, size: Size, recent: Iterable[Change], now: datetime) -> str:
    """Why a change of that size is too much now, or ever; empty where there is room."""
    counted = [(when, change.plan.size) for change in recent if (when := _when(change, now)) is not None]
    for name, one in _WORDS:
        asked, limit = getattr(size, name), getattr(limits, name)
        if not asked:
            continue
        if asked > limit:
            return f"it changes {count(asked, one)} at once, and at most {limit:,} may be changed within an hour"
        used = sorted((when, getattr(theirs, name)) for when, theirs in counted)
        done = sum(amount for _, amount in used)
        if done + asked > limit:
            again = _room_at(used, limit - asked)
            return (
                f"{count(done, one)} {'was' if done == 1 else 'were'} changed within the last hour and this would be "
                f"{asked:,} more: at most {limit:,} may be; there is room again at {again:%H:%M} UTC"
            )
    return ""


def _when(change: Change, now: datetime) -> datetime | None:
    """When it counts from; None where it does not count."""
    if change.state in _NOT_BEGUN or (change.state is ChangeState.FAILED and not change.done):
        return None
    when = change.applied_at or (now if change.state in (ChangeState.APPROVED, ChangeState.APPLYING) else None)
    when = when or change.requested_at
    return when if when > now - HOUR else None


def _room_at(used: list[tuple[datetime, int]], allowed: int) -> datetime:
    """When enough of it is an hour ago: `used` is in the order of time, and too much now."""
    left = sum(amount for _, amount in used)
    for when, amount in used:
        left -= amount
        if left <= allowed:
            return when + HOUR
    raise AssertionError("with nothing used there is room for what fits at all")
