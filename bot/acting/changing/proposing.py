"""The beginning: is the plan allowed, what would the API server say to it, then the question to those who decide."""

from datetime import datetime

import msgspec

from bot.acting.changing.ground import Ground, Site
from bot.acting.changing.permitting import permitted
from bot.acting.changing.planning import plan_now
from bot.acting.changing.rehearsal import rehearse
from bot.acting.changing.telling import root
from bot.domain.audit import Happened, refusal
from bot.domain.change import Change, Plan
from bot.domain.document import Document
from bot.domain.errors import ClusterError
from bot.domain.person import Asker
from bot.views import plan as views


async def propose(ground: Ground, plan: Plan, asker: Asker, cluster: str) -> Document:
    """What the asker is told. The plan is made anew: nothing that came along is believed. Raises UserError."""
    now, site = ground.now(), ground.site(cluster)
    fresh = await plan_now(ground, site, plan, now)
    decision = await permitted(ground, site, fresh, asker, now)
    if not decision.allowed:
        await ground.store.audit(refusal(Happened.REFUSED, asker, cluster, decision.reason, now))
        return views.denied(fresh, f"{decision.reason.rstrip('.')}.", decision.people)
    ready = await _rehearsed(ground, site, fresh, asker, now)
    if isinstance(ready, Document):
        return ready
    if decision.dry_run:
        return views.told(f"gpubot only rehearses here: the API server would let it {ready.title}. Nothing is changed.")
    change = await _recorded(ground, ready, asker, cluster, decision.approvals, now)
    return views.told(f"Change {change.number} is proposed: {change.plan.title}. {decision.reason}.")


async def propose_anew(ground: Ground, site: Site, old: Change, fresh: Plan, asker: Asker, now: datetime) -> str:
    """In place of one that no longer holds, for whoever asked for that; what happened to it, in a sentence."""
    decision = await permitted(ground, site, fresh, asker, now, besides=old)
    if not decision.allowed:
        await ground.store.audit(refusal(Happened.REFUSED, asker, site.name, decision.reason, now, old.number))
        return f"{decision.reason}."
    ready = await _rehearsed(ground, site, fresh, asker, now)
    if isinstance(ready, Document):
        return "The API server would refuse it now."
    change = await _recorded(ground, ready, asker, site.name, decision.approvals, now)
    return f"Change {change.number} shows it as it is now."


async def _rehearsed(ground: Ground, site: Site, plan: Plan, asker: Asker, now: datetime) -> Plan | Document:
    """The plan with what the API server told of it; a document where it would refuse."""
    identity = asker.identity if ground.rules().identities.impersonate else None
    try:
        said = await rehearse(site, plan, identity)
    except ClusterError as error:
        return views.told(f"Nothing is proposed: {error}")
    if said.refused:
        await ground.store.audit(refusal(Happened.DENIED, asker, site.name, said.refused, now))
        return views.told(f"The API server would refuse it: {said.refused}")
    return _with_warnings(plan, said.told)


def _with_warnings(plan: Plan, told: tuple[str, ...]) -> Plan:
    """Warnings are no part of what is compared at the click."""
    return msgspec.structs.replace(plan, warnings=(*plan.warnings, *told))


async def _recorded(ground: Ground, plan: Plan, asker: Asker, cluster: str, approvals: int, now: datetime) -> Change:
    expires = now + ground.rules().approvals.expire_after
    return await ground.store.propose(plan, asker, approvals, expires, cluster, now, posts=root)
