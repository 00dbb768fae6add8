"""The way back: each step is looked at before it is done, so that it is done once, and never over others' changes."""

from bot.acting.changing.applying import clean_up
from bot.acting.changing.ground import Ground, Site
from bot.acting.changing.moving import move
from bot.acting.changing.stepping import StepError, do_step
from bot.acting.changing.telling import tell
from bot.changes.machine import ChangeEvent
from bot.changes.settled import Settled, settled
from bot.domain.change import Change, Step


async def take_back(ground: Ground, change: Change) -> Change:
    site, identity = ground.site(change.cluster), await ground.identity(change)
    for index in range(change.done, len(change.plan.undo)):
        step = change.plan.undo[index]
        try:
            audit_id, already = await do_step(ground, site, step, identity, look_first=True)
        except StepError as error:
            told = f"Undo stopped after {index} of {len(change.plan.undo)} steps: {error}. By hand: `{step.command}`"
            return await move(ground, change, ChangeEvent.BROKEN, told=told)
        change = await ground.store.step_done(change.number, index, audit_id, ground.now())
        await tell(ground, change, (f"{step.says}: {already or 'done'}",))
    left = await clean_up(ground, change)
    told = f"Undone: {', '.join(step.says for step in change.plan.undo)}. {left}".strip()
    return await move(ground, change, ChangeEvent.RETURNED, told=told)


async def meddled(site: Site, change: Change) -> tuple[Step, ...]:
    """Steps back that somebody's change of the same object stands in the way of. Raises ClusterError."""
    found = [(step, settled(step, await site.writer.read(step.target))) for step in change.plan.undo]
    return tuple(step for step, state in found if state is Settled.MOVED)
