"""May this person have that plan done now: gpubot's own rules first, then the cluster's authorizer, asked anew."""

from datetime import datetime, timedelta

from bot.access.decision import Decision
from bot.access.permissions import denied, permissions
from bot.access.policy import needed
from bot.acting.changing.ground import Ground, Site
from bot.acting.changing.planning import labels_of
from bot.domain.change import Change, Plan
from bot.domain.person import Asker

RECENT = timedelta(hours=1)  # what the breaker counts


async def permitted(
    ground: Ground, site: Site, plan: Plan, asker: Asker, now: datetime, besides: Change | None = None
) -> Decision:
    """`besides`: the change that is decided about, which does not count against itself."""
    recent = await ground.store.recent(site.name, now - RECENT)
    others = [one for one in recent if besides is None or one.number != besides.number]
    freezes = await ground.store.freezes(now, site.name)
    decision = needed(ground.rules(), plan, asker, now, others, freezes, labels=labels_of(site.view, plan))
    return await _in_cluster(site, plan, asker) or decision if decision.allowed else decision


async def _in_cluster(site: Site, plan: Plan, asker: Asker) -> Decision | None:
    """The first thing that the person may not do in Kubernetes; None where nothing is missing, or nobody is mapped."""
    if asker.identity is None:
        return None
    for one in permissions(plan):
        review = await site.writer.may(
            asker.identity,
            one.verb,
            api_group=one.api_group,
            resource=one.resource,
            subresource=one.subresource,
            namespace=one.namespace,
            name=one.name,
            fresh=True,
        )
        no = denied(one, review)
        if no is not None:
            return no
    return None
