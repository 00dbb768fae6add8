"""Replicas that somebody else sets: an HPA, KEDA or Knative owns them, and a hand cannot hold against it.

above the maximum   a manual scale (or a chart's fixed number) that the autoscaler takes back within a minute
at the maximum      more is wanted than it may make
blind               it cannot read its metric, so it does not scale
zero                nothing runs because nothing is wanted, and who wants that
too soon            scaled to zero before the pod was ever ready: a GPU node and a model need longer than its window
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.why.autoscalers import KEDA_PAUSED, Autoscaler, applied_by, autoscalers
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.shell import kubectl, patch, quoted
from bot.why.short_lives import too_short_a_life

SCALED = ("Deployment", "StatefulSet")


def judge(case: Case) -> Iterator[Finding]:
    target = next((one for one in case.owners if one.kind in SCALED), None)
    if target is None:
        return
    found = list(autoscalers(case, target))
    replicas = case.fields(target).number("spec", "replicas")
    for one in found:
        if one.sort == "HPA" and one.most is not None and replicas is not None and replicas > one.most:
            yield _above(case, target, one, replicas)
        elif one.sort == "HPA" and one.least is not None and replicas is not None and 0 < replicas < one.least:
            yield _below(case, target, one, replicas)
        elif one.sort == "HPA" and case.subject.thing is target:
            yield from _limits(case, target, one)
    if replicas == 0 and case.subject.thing is target:
        short = too_short_a_life(case, target, found)
        if short is not None:
            yield short
        else:
            yield _zero(case, target, found)


# ---- more than it may be ---------------------------------------------------------------------------------------------


def _above(case: Case, target: Thing, hpa: Autoscaler, replicas: int) -> Finding:
    """Somebody set more than the maximum: it does not last."""
    asked = case.subject.pod is None
    sentence = (
        f"{hpa.title} owns its replicas and its maximum is {hpa.most}: {replicas} was set by hand or by a chart and "
        f"will be set back to {hpa.most}"
    )
    applier = applied_by(target)
    return Finding(
        "autoscaled.above-maximum",
        sentence if asked else f"`{target.title}`: {sentence}, so this pod may be ended again",
        Level.CAUSE if asked else Level.ALSO,
        evidence=tuple(_tug_of_war(case, target, hpa)),
        remedies=(
            _raise(target, hpa, replicas),
            Remedy(
                "Keep more at all times by `minReplicas`, and leave `replicas` out of what "
                f"{applier or 'the chart or the GitOps tool'} applies"
            ),
        ),
        useless=("`kubectl scale` alone does not hold: the HPA takes it back",),
    )


def _below(case: Case, target: Thing, hpa: Autoscaler, replicas: int) -> Finding:
    """Somebody set fewer than the minimum: more come back."""
    return Finding(
        "autoscaled.below-minimum",
        f"{hpa.title} owns the replicas of `{target.title}` and its minimum is {hpa.least}: {replicas}, set by hand "
        "or by a "
        f"chart, will be set back to {hpa.least}",
        Level.ALSO,
        evidence=tuple(_tug_of_war(case, target, hpa)),
        remedies=(
            Remedy(
                "Lower the HPA's minimum instead", kubectl("edit", "hpa", hpa.thing.name, namespace=target.namespace)
            ),
        ),
    )


def _raise(target: Thing, hpa: Autoscaler, replicas: int) -> Remedy:
    """Of an HPA that KEDA has made, KEDA's object is what counts."""
    cost = f"it may then use up to {count(replicas, 'pod')} whenever its metric asks for them"
    owner = hpa.thing.owner
    if owner is not None and owner.kind == "ScaledObject":
        change = f'{{"spec":{{"maxReplicaCount":{replicas}}}}}'
        command = patch("scaledobject", owner.name, change, namespace=target.namespace)
        return Remedy(f"Raise the ScaledObject's maximum instead: `maxReplicaCount: {replicas}`", command, cost=cost)
    command = patch("hpa", hpa.thing.name, f'{{"spec":{{"maxReplicas":{replicas}}}}}', namespace=target.namespace)
    return Remedy(f"Raise the HPA's maximum instead: `maxReplicas: {replicas}`", command, cost=cost)


def _tug_of_war(case: Case, target: Thing, hpa: Autoscaler) -> Iterator[str]:
    yield (
        f"{hpa.title}: minReplicas {hpa.least}, maxReplicas {hpa.most}, desired now "
        f"{hpa.fields.number('status', 'desiredReplicas')}"
    )
    for event in case.events_on(hpa.thing):
        if event.reason == "SuccessfulRescale":
            yield f"HPA at {event.time[11:16]}, {count(event.count, 'time')}: {quoted(event.message, 120)}"
            break
    scaled = [one for one in case.events_on(target) if one.reason == "ScalingReplicaSet"]
    for event in scaled[:2]:
        yield f"At {event.time[11:19]}, {count(event.count, 'time')}: {quoted(event.message, 120)}"
    if applier := applied_by(target):
        yield f"`{target.title}` is written by {applier}, which may set its own number at each sync"


def _limits(case: Case, target: Thing, hpa: Autoscaler) -> Iterator[Finding]:
    """What the HPA says of itself: at its maximum, or blind."""
    limited, active = hpa.fields.condition("ScalingLimited"), hpa.fields.condition("ScalingActive")
    if limited.text("status") == "True" and limited.text("reason") == "TooManyReplicas":
        yield Finding(
            "autoscaled.at-maximum",
            f"{hpa.title} wants more pods than its maximum of {hpa.most} allows",
            Level.ALSO,
            evidence=(f"Its condition: {quoted(limited.text('message'))}",),
            remedies=(
                Remedy(
                    "Raise `maxReplicas` if the load should be met",
                    kubectl("edit", "hpa", hpa.thing.name, namespace=target.namespace),
                    cost="more pods, each with its GPUs",
                ),
            ),
        )
    if active.text("status") == "False" and active.text("reason") != "ScalingDisabled":
        yield Finding(
            "autoscaled.blind",
            f"{hpa.title} cannot read its metric and does not scale: "
            f"{quoted(active.text('message') or active.text('reason'), 160)}",
            Level.ALSO,
            remedies=(
                Remedy(
                    "Look at the metric's source",
                    kubectl("describe", "hpa", hpa.thing.name, namespace=target.namespace),
                ),
            ),
        )


# ---- nothing wanted --------------------------------------------------------------------------------------------------


def _zero(case: Case, target: Thing, found: list[Autoscaler]) -> Finding:
    """`replicas` is 0 because somebody wants it so."""
    who = next((f"{one.title} scales it to zero when there is no load" for one in found if one.to_zero), "")
    paused = next((one.thing.annotations[KEDA_PAUSED] for one in found if KEDA_PAUSED in one.thing.annotations), "")
    if paused == "0":
        who = "its ScaledObject is paused at 0 replicas"
    event = next(
        (one for one in case.events_on(target) if one.reason == "ScalingReplicaSet" and " to 0" in one.message), None
    )
    when = f" at {event.time[11:16]}" if event is not None else ""
    start = kubectl("scale", target.title, "--replicas=1", namespace=target.namespace)
    return Finding(
        "autoscaled.zero",
        f"It is scaled to 0{when}, so no pod is wanted: {who or 'nothing scales it by itself, somebody has set it'}",
        Level.NOTE,
        evidence=() if who else (f"To start it: `{start}`",),
        remedies=() if who else (Remedy("Start it", start),),
        unknown=() if found else case.not_read("horizontalpodautoscalers", "scaledobjects", "knativeautoscalers"),
    )


STAGE = Stage(
    "autoscaled",
    26,
    judge,
    needs=frozenset(
        {
            "deployments",
            "statefulsets",
            "replicasets",
            "horizontalpodautoscalers",
            "scaledobjects",
            "knativeautoscalers",
            "knativerevisions",
            "inferenceservices",
            "events",
            "nodes",
        }
    ),
    docs=__doc__ or "",
)
