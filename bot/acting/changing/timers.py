"""What happens to changes by the clock: proposals lapse, temporary changes are announced and undone.

An undo by the clock asks instead of acting where somebody has changed the object in the meantime.
"""

from datetime import timedelta

from bot.acting.changing.ground import Ground
from bot.acting.changing.moving import move
from bot.acting.changing.telling import answer
from bot.acting.changing.undoing import meddled
from bot.changes.machine import ChangeEvent
from bot.domain.change import Change, ChangeState
from bot.domain.words import names
from bot.views import plan as views

WARNED = timedelta(minutes=10)  # before the undo, or a third of the time where that is short
SHORT = 3


async def by_the_clock(ground: Ground, change: Change) -> Change | None:
    """The change that goes on from here, if one does. Raises ConflictError, UpstreamError."""
    now = ground.now()
    if change.state is ChangeState.PROPOSED and now >= change.expires_at:
        await move(ground, change, ChangeEvent.LAPSED, told="Nobody decided in time; nothing was done.")
        return None
    if change.state is not ChangeState.APPLIED or change.undo_at is None:
        return None
    if now >= change.undo_at:
        return await _undo(ground, change)
    if now >= change.undo_at - _warned(change):
        await _warn(ground, change)
    return None


def _warned(change: Change) -> timedelta:
    if change.undo_at is None or change.applied_at is None:
        return WARNED
    return min(WARNED, (change.undo_at - change.applied_at) / SHORT)


async def _warn(ground: Ground, change: Change) -> None:
    """Once for each time that it is due, since it may be put off."""
    assert change.undo_at is not None
    what = ", ".join(step.says for step in change.plan.undo)
    text = f"At {change.undo_at:%H:%M} UTC change {change.number} is undone: {what}."
    await answer(ground, change, f"soon/{change.undo_at:%Y%m%dT%H%M%S}", views.told(text))


async def _undo(ground: Ground, change: Change) -> Change | None:
    site = ground.site(change.cluster)
    moved_by_others = await meddled(site, change)
    if not moved_by_others:
        return await move(ground, change, ChangeEvent.TAKEN_BACK, told="Its time is over.", done=0)
    what = names([str(step.target) for step in moved_by_others])
    told = (
        f"Its time is over, but somebody has changed {what} in the meantime, so nothing was undone. "
        f"If it should be, by hand: {names([f'`{step.command}`' for step in moved_by_others])}"
    )
    kept = await move(ground, change, ChangeEvent.KEPT, told=told, undo_at=None)
    await answer(ground, kept, "asks", views.told(told))
    return None
