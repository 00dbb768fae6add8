"""KEDA and Knative.

https://keda.sh/docs/latest/concepts/scaling-deployments (pausing); knative/serving:pkg/apis/autoscaling/register.go
"""

from bot.domain.text import inert
from bot.scaling.keeper import SOON, Keeper
from bot.scaling.shown import shown
from bot.scaling.standing import Standing
from bot.why.autoscalers import KEDA_PAUSED, KNATIVE, Autoscaler, applied_by
from bot.why.shell import kubectl, patch

PAUSED = "autoscaling.keda.sh/paused"


def of_keda(keda: Autoscaler, wanted: int) -> Keeper:
    says, back_to, instead = _kept(keda, wanted)
    who = applied_by(keda.thing)
    facts = (
        (f"{keda.title} itself is written by {who}: a change of it holds only when it is made there",) if who else ()
    )
    return Keeper(keda.title, says, instead, back_to, facts, keda.least, keda.most)


def _kept(keda: Autoscaler, wanted: int) -> tuple[str, int | None, tuple[str, ...]]:
    """What it says, what it sets back to for sure, what to do instead."""
    title, told = keda.title, keda.thing.annotations
    hold = _annotated(keda, f"{KEDA_PAUSED}={wanted}", "--overwrite")
    if KEDA_PAUSED in told:
        held = inert(told[KEDA_PAUSED], 20)
        back_to = int(held) if held.isascii() and held.isdecimal() and len(held) < 7 else None
        says = f"{title} is paused at {held} replicas by its annotation: KEDA sets any other number back to {held}"
        return says, back_to, (f"Change the number it is held at: {hold}",)
    if told.get(PAUSED, "false").casefold() not in ("", "false"):
        return f"{title} is paused by its annotation and leaves the number alone", None, ()
    pause = f"Hold {wanted} by pausing KEDA there: {hold}; {_annotated(keda, f'{KEDA_PAUSED}-')} lets it scale again"
    owns = f"{title} owns the replicas ({keda.least} to {keda.most} replicas): KEDA sets"
    least, most = keda.least or 0, keda.most or 0
    if least <= wanted <= most:
        return f"{owns} them by its triggers again {SOON}", None, (pause,)
    edge, word, field = (most, "maximum", "maxReplicaCount") if wanted > most else (least, "minimum", "minReplicaCount")
    moved = shown(
        patch("scaledobject", keda.thing.name, f'{{"spec":{{"{field}":{wanted}}}}}', namespace=keda.thing.namespace)
    )
    return f"{owns} {wanted} back to its {word} {edge} {SOON}", edge, (pause, f"Or move its {word}: {moved}")


def _annotated(keda: Autoscaler, *words: str) -> str:
    return shown(kubectl("annotate", "scaledobject", keda.thing.name, *words, namespace=keda.thing.namespace))


def of_knative(now: Standing, one: Autoscaler, wanted: int) -> Keeper:
    limits = f"min-scale {one.least or 0}, max-scale {'no limit' if one.most is None else one.most}"
    says = f"{one.title} owns the replicas ({limits}): it sets them by requests in flight, whatever is set by hand"
    annotation = f'`{KNATIVE}/min-scale: "{wanted}"`'
    instead = f"Set {annotation} in the template of `{now.thing.title}`, which makes a new revision"
    return Keeper(one.title, says, (instead,), least=one.least, most=one.most)
