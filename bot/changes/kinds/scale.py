"""Another number of replicas: by the scale subresource where there is one, with what would come of it."""

from datetime import datetime

from bot.changes.kind import Ask, ChangeKind
from bot.changes.scale_follow import follow
from bot.changes.scale_hold import hold, hold_wants
from bot.changes.scale_outage import outage
from bot.changes.scale_owners import owners
from bot.changes.scale_steps import scale_step
from bot.domain.change import Plan, Size
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.evidence import Wanted
from bot.domain.thing import Thing
from bot.domain.time import read_time
from bot.grammar import quoted
from bot.scaling import objections
from bot.scaling import preview as previews
from bot.scaling.effects import effects
from bot.scaling.forms import FORMS
from bot.scaling.kserve import keeps_one, stopping
from bot.scaling.preview import Preview, preview
from bot.scaling.verdict import title, verdict
from bot.scaling.wish import MOST
from bot.why.needs import KINDS

NEEDS = frozenset(
    {
        "limitranges",
        "resourcequotas",
        "horizontalpodautoscalers",
        "scaledobjects",
        "services",
        "serviceaccounts",
        "priorityclasses",
        "runtimeclasses",
        "resourceclaimtemplates",
    }
)
FOLLOW_SECONDS = 3600  # a large model may load for half an hour


def preview_of(ask: Ask) -> Preview:
    """Raises UsageError, NotFoundError."""
    return preview(ask.view, ask.policy, _thing(ask), _replicas(ask), ask.now, ask.evidence)


def plan(ask: Ask) -> Plan:
    return plan_of(ask, preview_of(ask))


def plan_of(ask: Ask, told: Preview) -> Plan:
    thing, wanted = told.thing, told.wanted
    ends_at = _ends_at(ask)
    others = owners(ask.view, thing, wanted, ask.evidence, ask.because)
    same = told.delta == 0
    return Plan(
        kind=CHANGE.name,
        arguments={**ask.arguments},
        title=title(told) + (f" until {ends_at:%Y-%m-%d %H:%M} UTC" if ends_at else ""),
        because=ask.because,
        steps=() if same else (scale_step(thing, wanted),),
        effects=(verdict(told), *effects(told), *_back(told, ends_at)),
        costs=(*objections.costs(told), *outage(ask.view, told)),
        warnings=(*objections.warnings(told), *others.told, *_special(told)),
        instead=(*objections.instead(told), *others.instead),
        unknown=objections.unknown(told),
        undo=() if same else (scale_step(thing, wanted, back=True),),
        size=Size(replicas=abs(told.delta), gpus=abs(told.delta) * told.gpus_each, namespaces=(thing.namespace,)),
        refused=_refused(told, ends_at, ask.now),
        ends_at=ends_at,
    )


def wants_of(ask: Ask) -> Wanted:
    return previews.wants(ask.view, ask.policy, _thing(ask), _replicas(ask), ask.now)


def _thing(ask: Ask) -> Thing:
    kind, namespace, name = (ask.arguments.get(one, "") for one in ("kind", "namespace", "name"))
    if kind not in FORMS:
        raise UsageError(f"{quoted(kind)} cannot be scaled; what can be: {', '.join(FORMS)}.")
    found = ask.view.thing(kind, namespace, name)
    if found is None:
        raise NotFoundError(f"There is no {kind} {quoted(f'{namespace}/{name}')} any more.")
    return found


def _replicas(ask: Ask) -> int:
    text = ask.arguments.get("replicas", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 7 and int(text) <= MOST):
        raise UsageError(f"{quoted(text)} is no number of replicas.")
    return int(text)


def _ends_at(ask: Ask) -> datetime | None:
    text = ask.arguments.get("ends_at", "")
    if not text:
        return None
    found = read_time(text)
    if found is None:
        raise UsageError(f"{quoted(text)} is no time.")
    return found


def _refused(told: Preview, ends_at: datetime | None, now: datetime) -> str:
    thing = told.thing
    if thing.deleted:
        return f"{thing.title} is being deleted."
    if told.wanted == 0 and keeps_one(told.now):
        return (
            f"KServe keeps 1 replica at least where it does without Knative: it takes 0 for 1. To stop the model: "
            f"`{stopping(thing)}`."
        )
    if told.delta == 0:
        return f"{verdict(told)}, so there is nothing to change."
    if ends_at is not None and ends_at <= now:
        return f"It should hold until {ends_at:%Y-%m-%d %H:%M} UTC, which is past."
    return ""


def _back(told: Preview, ends_at: datetime | None) -> tuple[str, ...]:
    if ends_at is None:
        return ()
    return (
        f"At {ends_at:%Y-%m-%d %H:%M} UTC it goes back to {told.now.wanted} by itself, told beforehand; if somebody "
        "has set another number by then it is left alone",
    )


def _special(told: Preview) -> tuple[str, ...]:
    """InferenceServices have no number of replicas of their own: their least is what can be set."""
    if told.thing.kind != "InferenceService":
        return ()
    most = told.thing.fields.number("spec", "predictor", "maxReplicas")
    raised = f", and maxReplicas from {most} to {told.wanted}" if most and told.wanted > most else ""
    return (
        f"KServe keeps the number: what is set is minReplicas of the predictor{raised}; its autoscaler may add more",
    )


CHANGE = ChangeKind(
    "scale",
    plan,
    follow,
    needs=KINDS | NEEDS,
    wants=wants_of,
    hold=hold,
    hold_wants=hold_wants,
    follow_seconds=FOLLOW_SECONDS,
)
