"""KEDA: a ScaledObject, which scales between none and one itself and leaves the rest to an HPA that it makes.

https://keda.sh/docs/latest/reference/scaledobject-spec/ and .../concepts/scaling-deployments/ (pausing).
"""

from bot.changes.managers.fields import REPLICAS
from bot.changes.managers.manager import Manager, ManagerKind, Object, Recogniser
from bot.domain.text import inert
from bot.domain.thing import Thing

PAUSED_AT = "autoscaling.keda.sh/paused-replicas"
PAUSED = "autoscaling.keda.sh/paused"
MOST = 100  # maxReplicaCount where none is given


def _find(obj: Object) -> Manager | None:
    thing = obj.scaled_by("ScaledObject")
    if thing is None:
        return None
    return Manager(
        name=f"KEDA ScaledObject {inert(thing.name)}",
        kind=ManagerKind.AUTOSCALER,
        fields=(REPLICAS,),
        reverts=_reverts(thing),
        instead=(
            f'hold it at N with the annotation {PAUSED_AT}: "N" on ScaledObject {inert(thing.name)} (taking it away '
            f"lets KEDA scale again), or change its minReplicaCount and maxReplicaCount"
        ),
    )


def _reverts(thing: Thing) -> str:
    if held := thing.annotations.get(PAUSED_AT):
        return f"it is paused and held at {inert(held)} replicas by its annotation"
    if thing.annotations.get(PAUSED, "false").lower() not in ("", "false"):
        return "it is paused by its annotation and undoes nothing until that is taken away"
    spec = thing.fields.at("spec")
    least, most = spec.number("minReplicaCount") or 0, spec.number("maxReplicaCount") or MOST
    return (
        f"it sets the replicas by its triggers, between {least} and {most}, within seconds: every "
        f"{spec.number('pollingInterval') or 30} s between none and one, else as its HPA does (every 15 s by default)"
    )


MANAGER = Recogniser(rank=20, find=_find, claims=("keda*",))
