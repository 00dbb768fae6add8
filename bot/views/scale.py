"""The preview of a scale: the verdict, the steps and what comes of them, as a plan looks."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import msgspec

from bot.command import Reply
from bot.domain.answer import Answer, Cause, Remedy
from bot.domain.change import Plan, Propose
from bot.domain.document import Bullets, Part, sentence
from bot.domain.history import History
from bot.domain.view import View
from bot.domain.words import duration
from bot.gpu.kind import kind_of
from bot.scaling.more import Up
from bot.scaling.preview import Preview
from bot.scaling.verdict import verdict as verdict_of
from bot.scheduling.history.estimate import Alike, Range, estimate
from bot.views import plan as plans
from bot.views import sources
from bot.views.shortened import shortened

NEEDED = ("nodes", "pods", "deployments", "horizontalpodautoscalers")
LINES_SHOWN = 5


def reply(told: Preview, plan: Plan, view: View, now: datetime, history: History | None = None) -> Reply:
    verdict = verdict_of(told)
    effects = (*plan.effects[1:], *_waits(told, view, history, now))
    shown = msgspec.structs.replace(plan, effects=effects)
    document = plans.preview(shown)
    first = f"Cannot be done: {plan.refused}" if plan.refused else f"{verdict}."
    parts = (*document.parts, *_behind(told))
    document = replace(
        document, verdict=sentence(first), parts=parts, footer=(*sources.footer(view, now, NEEDED), "preview")
    )
    return Reply(_answer(told, plan, verdict, view, now), shortened(document), (Propose(plan),))


def _behind(told: Preview) -> Iterator[Part]:
    """Nodes by what blocks them for those that would wait, and who holds what they need."""
    stuck = told.up.stuck if told.up is not None else None
    for group in stuck.groups if stuck is not None else ():
        yield Bullets(group.title, tuple(sentence(one) for one in group.lines[:LINES_SHOWN]))


def _waits(told: Preview, view: View, history: History | None, now: datetime) -> tuple[str, ...]:
    """How long pods like those that would wait have waited here."""
    up = told.up
    if up is None or not up.waits or history is None:
        return ()
    gpus = told.gpus_each
    shape = _shape(up, view)
    owner = f"{told.thing.kind}/{told.thing.name}"
    found = estimate(history, Alike(gpus=gpus, shape=shape, namespace=told.thing.namespace, owner=owner), now)
    if not isinstance(found, Range):
        return (f"How long they would wait cannot be told: {found.reason}",)
    low, high = duration(found.low_seconds), duration(found.high_seconds)
    return (f"Pods like them waited {low} to {high} here (the middle half of {found.runs})",)


def _shape(up: Up, view: View) -> str | None:
    """The kind of GPU of the nodes that could take it, as history calls it."""
    resource = next((name for name in up.like.first.requests if "/" in name), "")
    nodes = [node for node in view.nodes.values() if node.allocatable.get(resource)]
    return kind_of(resource, nodes[0].labels).title if resource and nodes else None


def _answer(told: Preview, plan: Plan, verdict: str, view: View, now: datetime) -> Answer:
    plain = verdict.replace("`", "")
    cause = Cause("change.refused", plan.refused) if plan.refused else Cause(_id(told), plain)
    return Answer(
        cause=cause,
        as_of=view.oldest(*NEEDED),
        evidence=(*plan.effects[1:], *plan.costs, *plan.warnings),
        remedies=(
            *(Remedy(step.says, step.command) for step in plan.steps),
            *(Remedy(one) for one in plan.instead),
        ),
        unknown=plan.unknown,
        sources=tuple(sources.lines(view, now, NEEDED)),
        numbers=_numbers(told, plan),
        told=told.up is None or not told.up.blind,
    )


def _id(told: Preview) -> str:
    if told.undone is not None:
        return "scale.undone"
    if told.up is None:
        return "scale.to-zero" if told.wanted == 0 else "scale.down"
    if told.up.blind:
        return "scale.unknown"
    return "scale.fits" if told.up.starts == told.up.added else "scale.partly" if told.up.starts else "scale.waits"


def _numbers(told: Preview, plan: Plan) -> dict[str, object]:
    numbers: dict[str, object] = {
        "replicas": told.now.wanted,
        "ready": told.now.ready,
        "wanted": told.wanted,
        "gpus_each": told.gpus_each,
        "digest": plan.digest,
    }
    if told.up is not None:
        up = told.up
        numbers |= {"starts": up.starts, "hangs": up.hangs, "waits": up.waits, "refused": up.refused}
        numbers |= {"nodes": list(up.placing.nodes), "evicts": [pod.key for pod in up.placing.evicted]}
    if told.down is not None:
        numbers |= {"goes": [pod.name for pod in told.down.leaving.pods], "in_flight": told.down.flight.running}
    return numbers
