"""A click on a button: a nonce and a word are all that came; everything else is looked up, and decided by now.

Rights are those of this moment, of the one who clicks and of those who agreed before; the plan is made anew, and is
applied only if it would do the very same.
"""

from datetime import datetime
from typing import Any

from bot.access.approval import is_requester, may_approve, may_refuse, may_undo, standing
from bot.access.decision import Decision
from bot.acting.changing.ground import Ground, Site
from bot.acting.changing.moving import move
from bot.acting.changing.permitting import permitted
from bot.acting.changing.planning import labels_of, plan_now
from bot.acting.changing.proposing import propose_anew
from bot.changes.machine import ChangeEvent
from bot.domain.audit import Happened, refusal
from bot.domain.change import Approval, Change, ChangeState, Plan
from bot.domain.document import Document
from bot.domain.errors import ConflictError, UserError
from bot.domain.person import Asker
from bot.views import plan as views

WORDS = ("yes", "no", "undo")


async def click(ground: Ground, nonce: str, word: str, asker: Asker) -> tuple[Document, Change | None]:
    """What the person is told, and the change that goes on from here, if one does. Raises UpstreamError."""
    change = await ground.store.by_nonce(nonce) if word in WORDS and nonce else None
    if change is None:
        return await _stale(ground, nonce, asker), None
    try:
        if word == "yes":
            return await _yes(ground, change, asker)
        return await (_no(ground, change, asker) if word == "no" else _undo(ground, change, asker))
    except ConflictError:
        return await _stale(ground, nonce, asker), None


async def _stale(ground: Ground, nonce: str, asker: Asker) -> Document:
    """A button that was used up, or was never ours."""
    spent = await ground.store.spent(nonce) if nonce else None
    says = (
        f"That button is used up: change {spent.number} ({spent.plan.title}) is {spent.state}."
        if spent is not None
        else "That button is none of mine: nothing was done."
    )
    cluster = spent.cluster if spent else ""
    await ground.store.audit(
        refusal(Happened.CLICK_STALE, asker, cluster, says, ground.now(), spent.number if spent else None)
    )
    return views.told(says)


async def _refused(ground: Ground, change: Change, asker: Asker, decision: Decision) -> tuple[Document, None]:
    event = refusal(Happened.CLICK_REFUSED, asker, change.cluster, decision.reason, ground.now(), change.number)
    await ground.store.audit(event)
    return views.told(f"{decision.reason}.", decision.people), None


async def _no(ground: Ground, change: Change, asker: Asker) -> tuple[Document, None]:
    decision = may_refuse(ground.rules(), change, asker, ground.now())
    if not decision.allowed:
        return await _refused(ground, change, asker, decision)
    moved = await _moved(ground, change, ChangeEvent.DECLINED, asker, told=f"Refused by {asker}.")
    return views.told(f"Change {moved.number} is refused; nothing was done."), None


async def _yes(ground: Ground, change: Change, asker: Asker) -> tuple[Document, Change | None]:
    now, site = ground.now(), ground.site(change.cluster)
    if change.state is ChangeState.PROPOSED and now >= change.expires_at:
        moved = await _moved(ground, change, ChangeEvent.LAPSED, asker, told="Its time was over.")
        await ground.store.audit(refusal(Happened.CLICK_STALE, asker, change.cluster, "expired", now, change.number))
        return views.told(f"Change {moved.number} has expired: ask for it anew."), None
    decision = _may_say_yes(ground, site, change, asker, now)
    if not decision.allowed:
        return await _refused(ground, change, asker, decision)
    requester = asker if is_requester(change, asker) else await ground.requester(change)
    if requester is None:
        gone = Decision(False, f"Whoever asked for change {change.number} is not known any more")
        return await _refused(ground, change, asker, gone)
    outdated = await _outdated(ground, site, change, requester, now)
    if outdated is not None:
        return outdated, None
    async with ground.turn(change.cluster):
        still = await permitted(ground, site, change.plan, requester, now, besides=change)
        if still.allowed:
            return await _counted(ground, site, change, asker, max(still.approvals, change.needed))
    return await _refused(ground, change, asker, still)


def _may_say_yes(ground: Ground, site: Site, change: Change, asker: Asker, now: datetime) -> Decision:
    """Where nobody else needs to agree, whoever asked says it; else an approver."""
    if not change.needed and change.state is ChangeState.PROPOSED and is_requester(change, asker):
        return Decision(True, "You asked for it, and nobody else needs to agree")
    return may_approve(ground.rules(), change, asker, now, labels=labels_of(site.view, change.plan))


async def _outdated(ground: Ground, site: Site, change: Change, requester: Asker, now: datetime) -> Document | None:
    """None where the plan holds. Else it is final, and what would be done now is proposed as a new change."""
    try:
        fresh: Plan | None = await plan_now(ground, site, change.plan, now)
        why = "the cluster has changed since"
    except UserError as error:
        fresh, why = None, str(error).rstrip(".")
    if fresh is not None and fresh.digest == change.plan.digest:
        return None
    await move(ground, change, ChangeEvent.MOVED, told=f"It no longer holds: {why}.", nonce=change.nonce)
    anew = await propose_anew(ground, site, change, fresh, requester, now) if fresh is not None else ""
    return views.told(f"Change {change.number} was not applied: {why}. {anew}".strip())


async def _counted(
    ground: Ground, site: Site, change: Change, asker: Asker, needed: int
) -> tuple[Document, Change | None]:
    """One approval more; those before count as far as their givers still may."""
    approval = Approval(asker.id, asker.workspace, ground.now())
    people = {one.person: await ground.people(one.person, one.workspace, change.channel) for one in change.approvals}
    known = {person: found for person, found in people.items() if found is not None}
    before = standing(ground.rules(), change, known, labels_of(site.view, change.plan))
    mine = () if is_requester(change, asker) else (approval,)
    given = (*before, *mine)
    enough = len(given) >= needed
    event = ChangeEvent.AGREED if enough else ChangeEvent.SECONDED
    moved = await _moved(ground, change, event, asker, approvals=given, needed=needed)
    if enough:
        return views.told(f"Change {moved.number} begins: {moved.plan.title}."), moved
    return views.told(f"Your approval of change {moved.number} counts; {needed - len(given)} more needed."), None


async def _undo(ground: Ground, change: Change, asker: Asker) -> tuple[Document, Change | None]:
    decision = may_undo(ground.rules(), change, asker)
    if not decision.allowed:
        return await _refused(ground, change, asker, decision)
    if decision.dry_run:
        return views.told("gpubot only rehearses here: nothing is changed."), None
    moved = await _moved(ground, change, ChangeEvent.TAKEN_BACK, asker, done=0)
    return views.told(f"Change {moved.number} is being undone."), moved


async def _moved(ground: Ground, change: Change, event: ChangeEvent, asker: Asker, **fields: Any) -> Change:
    """By the person and their button: of two clicks at once only one counts. Raises ConflictError."""
    return await move(ground, change, event, actor=asker.id, nonce=change.nonce, workspace=asker.workspace, **fields)
