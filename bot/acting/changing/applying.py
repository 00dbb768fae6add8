"""From approved to followed: each step is recorded before the next is begun."""

from bot.acting.changing.ground import LOOK_SECONDS, POLL_SECONDS, Ground, Site
from bot.acting.changing.moving import move
from bot.acting.changing.planning import plan_now
from bot.acting.changing.stepping import StepError, do_step
from bot.acting.changing.telling import tell
from bot.changes.machine import ChangeEvent
from bot.domain.change import Change
from bot.domain.errors import UserError
from bot.domain.evidence import NO_EVIDENCE


async def begin(ground: Ground, change: Change, *, resumed: bool) -> Change:
    """Wait for what the kind waits for, look once more whether the plan holds, and go."""
    site = ground.site(change.cluster)
    if resumed and ground.now() >= change.expires_at:
        return await move(ground, change, ChangeEvent.LAPSED, told="gpubot was away, and its time is over.")
    held = await _held(ground, site, change)
    if (held or resumed) and (why := await _moved_on(ground, site, change)):
        return await move(ground, change, ChangeEvent.MOVED, told=f"It no longer holds: {why}. Nothing was done.")
    return await move(ground, change, ChangeEvent.BEGUN)


async def apply(ground: Ground, change: Change, *, resumed: bool) -> Change:
    """All steps that are not recorded yet; the first one may be done already where a bot died before it was."""
    site, identity = ground.site(change.cluster), await ground.identity(change)
    look_first = resumed
    for index in range(change.done, len(change.plan.steps)):
        step = change.plan.steps[index]
        try:
            audit_id, _ = await do_step(ground, site, step, identity, look_first=look_first)
        except StepError as error:
            await clean_up(ground, change)
            done = f"{index} of {len(change.plan.steps)} steps are done. " if index else "Nothing was changed before. "
            return await move(ground, change, ChangeEvent.BROKEN, told=f"{done}{_capital(str(error))}")
        change = await ground.store.step_done(change.number, index, audit_id, ground.now())
        look_first = False
        await tell(ground, change, (f"{step.says}: done",))
    return await move(ground, change, ChangeEvent.DONE, applied_at=ground.now(), undo_at=change.plan.ends_at)


async def clean_up(ground: Ground, change: Change) -> str:
    """Whatever happened before. What could not be cleaned up is told, since somebody must."""
    site, identity = ground.site(change.cluster), await ground.identity(change)
    left: list[str] = []
    for step in change.plan.cleanup:
        try:
            await do_step(ground, site, step, identity, look_first=False)
        except StepError as error:
            left.append(f"Not cleaned up: {error}; by hand: `{step.command}`")
    return " ".join(left)


async def _held(ground: Ground, site: Site, change: Change) -> bool:
    """Whether it had to wait. The kind ends the waiting itself."""
    kind, since, waited = ground.kind(change.plan.kind), ground.now(), False
    while kind.hold is not None:
        evidence = NO_EVIDENCE
        if kind.hold_wants is not None and site.looker is not None:
            evidence = await site.looker.look(kind.hold_wants(change.plan, site.view), LOOK_SECONDS)
        why = kind.hold(change.plan, site.view, ground.now(), since, evidence)
        if not why:
            break
        waited = True
        await tell(ground, change, (why,))
        await ground.sleep(POLL_SECONDS)
    return waited


async def _moved_on(ground: Ground, site: Site, change: Change) -> str:
    try:
        fresh = await plan_now(ground, site, change.plan, ground.now())
    except UserError as error:
        return str(error).rstrip(".")
    return "" if fresh.digest == change.plan.digest else "the cluster has changed since"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
