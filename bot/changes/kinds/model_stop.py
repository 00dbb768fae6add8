"""A model is stopped: its workload has no replicas any more and can be started again; or what gpubot deployed goes."""

from collections.abc import Iterator
from datetime import datetime

from bot.changes import scale_follow, scale_hold
from bot.changes.kind import Ask, ChangeKind, Phase, Progress
from bot.changes.kinds import scale
from bot.changes.model_stop_steps import deletes, deployed_here, left_over, says_stopped, zero
from bot.changes.outage import model_of
from bot.changes.scale_outage import outage
from bot.changes.scale_owners import owners
from bot.domain.change import Plan, Size
from bot.domain.evidence import Evidence, Wanted
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.domain.words import count
from bot.scaling import objections
from bot.scaling.effects import effects
from bot.scaling.preview import Preview
from bot.scaling.standing import Standing
from bot.why.members import pods_of

REMOVE = "remove"  # the argument that lets what gpubot deployed go altogether


def plan(ask: Ask) -> Plan:
    """Raises UsageError, NotFoundError."""
    told = scale.preview_of(_to_none(ask))
    thing, removes = told.thing, ask.arguments.get(REMOVE) == "yes"
    refused = _refused(told, removes)
    steps = () if refused else deletes(ask.view, thing) if removes else (zero(thing),)
    others = owners(ask.view, thing, 0, ask.evidence, ask.because)
    return Plan(
        kind=CHANGE.name,
        arguments=dict(_to_none(ask).arguments),
        title=f"{'stop and remove' if removes else 'stop'} {_name(thing)}",
        because=ask.because,
        steps=steps,
        effects=() if refused else (*_freed(told), *effects(told)),
        costs=() if refused else (*objections.costs(told), *outage(ask.view, told), *_lost(thing, removes)),
        warnings=(*objections.warnings(told), *others.told),
        instead=(*objections.instead(told), *others.instead),
        unknown=(*objections.unknown(told), *_left(thing, removes)),
        undo=() if refused or removes else (zero(thing, back=True),),
        size=Size(replicas=told.now.wanted, gpus=told.now.wanted * told.gpus_each, namespaces=(thing.namespace,)),
        refused=refused,
    )


def wants_of(ask: Ask) -> Wanted:
    return scale.wants_of(_to_none(ask))


def _to_none(ask: Ask) -> Ask:
    arguments = {**ask.arguments, "replicas": "0"}
    return Ask(arguments, ask.view, ask.inventory, ask.now, ask.because, ask.evidence)


def _name(thing: Thing) -> str:
    model = model_of(thing.fields)
    return f"{thing.kind.lower()} {thing.key}{f' (model {model})' if model else ''}"


def _freed(told: Preview) -> Iterator[str]:
    now: Standing = told.now
    gpus = now.wanted * told.gpus_each
    if gpus:
        nodes = sorted({pod.node for pod in now.pods if pod.node})
        where = f" on {count(len(nodes), 'node')}" if nodes else ""
        yield f"{count(gpus, 'GPU')}{where} come{'s' if gpus == 1 else ''} free, for whoever waits or asks next"
    yield "Its name is answered no more: whoever asks gets connection errors"


def _lost(thing: Thing, removes: bool) -> Iterator[str]:
    if removes:
        yield f"To serve it again it has to be deployed anew; weights on volumes stay ({thing.key})"
    else:
        yield "Started again, it loads its weights anew: minutes, not seconds"


def _left(thing: Thing, removes: bool) -> Iterator[str]:
    if removes:
        yield f"settings, budgets and weights that belong to it are not shown here and stay: `{left_over(thing)}`"


def _refused(told: Preview, removes: bool) -> str:
    thing = told.thing
    if thing.deleted:
        return f"{thing.title} is being deleted."
    if removes and not deployed_here(thing):
        return f"{thing.title} was not deployed by gpubot, so it is only stopped: leave `remove` out."
    if not removes and (told.now.wanted == 0 or says_stopped(thing)):
        return f"{thing.title} is stopped already: it has no replicas."
    return ""


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    kind, namespace, name = (plan.arguments[one] for one in ("kind", "namespace", "name"))
    thing = view.thing(kind, namespace, name)
    removes = plan.arguments.get(REMOVE) == "yes"
    if removes and thing is None:
        return Progress(Phase.DONE, f"{namespace}/{name} is gone.")
    if removes or kind == "InferenceService":
        left = [pod for pod in pods_of(view, thing) if not pod.finished] if thing is not None else []
        if removes or left:
            waits = tuple(f"{pod.name} ends" for pod in left[:8])
            return Progress(Phase.GOING, f"{count(len(left), 'pod')} of {namespace}/{name} have to end.", waits)
        return Progress(Phase.DONE, f"{namespace}/{name} has no pods left.")
    return scale_follow.follow(plan, view, now, applied_at)


def hold(plan: Plan, view: View, now: datetime, approved_at: datetime, evidence: Evidence) -> str:
    """Requests in flight are waited for, for a while."""
    return scale_hold.hold(plan, view, now, approved_at, evidence)


CHANGE = ChangeKind(
    "model-stop",
    plan,
    follow,
    needs=scale.CHANGE.needs | {"services", "scaledobjects"},
    wants=wants_of,
    hold=hold,
    hold_wants=scale_hold.hold_wants,
    follow_seconds=1800,
)
