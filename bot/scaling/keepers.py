"""Autoscalers that own the number of replicas: what they will make of a change, when, and what to change instead."""

from bot.scaling.keeper import Keeper
from bot.scaling.keeper_hpa import of_hpa
from bot.scaling.keeper_others import of_keda, of_knative
from bot.scaling.standing import Standing
from bot.why.autoscalers import Autoscaler, autoscalers


def keepers(now: Standing, wanted: int) -> tuple[Keeper, ...]:
    """Of the object, or of what it makes (an InferenceService has its autoscaler at the Deployment)."""
    targets = dict.fromkeys((now.thing, now.maker) if now.maker.kind != "ReplicaSet" else (now.thing,))
    found = [one for target in targets for one in autoscalers(now.case, target)]
    known = {one.thing.name for one in found if one.sort == "KEDA"}
    return tuple(_keeper(now, one, wanted) for one in found if not _of_keda(one, known))


def _of_keda(one: Autoscaler, known: set[str]) -> bool:
    """An HPA that KEDA has made only does what its ScaledObject says."""
    owner = one.thing.owner
    return one.sort == "HPA" and owner is not None and owner.kind == "ScaledObject" and owner.name in known


def _keeper(now: Standing, one: Autoscaler, wanted: int) -> Keeper:
    if one.sort == "HPA":
        return of_hpa(now, one, wanted)
    return of_keda(one, wanted) if one.sort == "KEDA" else of_knative(now, one, wanted)
