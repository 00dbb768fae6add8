"""The plan as it is now, from its kind and arguments: for the first proposal, and anew at the click."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from bot.acting.changing.ground import LOOK_SECONDS, Ground, Site
from bot.changes.kind import Ask
from bot.domain.change import Plan, Step
from bot.domain.evidence import NO_EVIDENCE
from bot.domain.record import NONE
from bot.domain.thing import plural
from bot.domain.view import View


async def plan_now(ground: Ground, site: Site, plan: Plan, now: datetime) -> Plan:
    """Raises UserError where it makes no sense any more."""
    kind = ground.kind(plan.kind)
    ask = Ask(plan.arguments, site.view, site.inventory, now, because=plan.because)
    if kind.wants is not None and site.looker is not None and (wanted := kind.wants(ask)):
        evidence = await site.looker.look(wanted, LOOK_SECONDS)
        ask = Ask(
            plan.arguments, site.view, site.inventory, now, because=plan.because, evidence=evidence or NO_EVIDENCE
        )
    return kind.plan(ask)


def labels_of(view: View, plan: Plan) -> tuple[Mapping[str, str], ...]:
    """Of every object that the plan changes, and of their namespaces: what protects them."""
    return tuple(labels for step in plan.steps for labels in _labels(view, step) if labels)


def _labels(view: View, step: Step) -> Iterator[Mapping[str, str]]:
    target = step.target
    key = f"{target.namespace}/{target.name}" if target.namespace else target.name
    table = view.tables.get(target.resource or plural(target.kind), {})
    yield getattr(table.get(key), "labels", NONE)
    namespace = view.namespaces.get(target.namespace)
    if namespace is not None:
        yield namespace.labels
