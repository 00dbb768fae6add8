"""A command's reply that asks for a change: the preview as document, the plan as data, and the intent to have it done.

One that is refused is asked for all the same: whoever carries it out refuses it, and keeps a record of that.
"""

from collections.abc import Collection
from datetime import datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause, Remedy
from bot.domain.change import Plan, Propose
from bot.domain.view import View
from bot.views import plan as views
from bot.views import sources


def reply(plan: Plan, view: View, now: datetime, needs: Collection[str]) -> Reply:
    """`needs`: the kinds that the plan was made from."""
    kinds = sorted(needs)
    cause = Cause(f"change.{plan.kind}", plan.title)
    if plan.refused:
        cause = Cause("change.refused", plan.refused)
    size = plan.size
    answer = Answer(
        cause=cause,
        as_of=view.oldest(*kinds),
        evidence=(*plan.effects, *plan.costs, *plan.warnings),
        remedies=tuple(Remedy(step.says, step.command) for step in plan.steps),
        unknown=plan.unknown,
        sources=tuple(sources.lines(view, now, kinds)),
        numbers={
            "steps": len(plan.steps),
            "nodes": size.nodes,
            "replicas": size.replicas,
            "gpus": size.gpus,
            "evictions": size.evictions,
            "digest": plan.digest,
        },
    )
    return Reply(answer, views.preview(plan), (Propose(plan),))
