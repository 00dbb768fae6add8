"""A HorizontalPodAutoscaler.

https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/: the controller looks every 15 s
(--horizontal-pod-autoscaler-sync-period), and stands still while the target has no replicas.
"""

from bot.changes.managers.fields import REPLICAS
from bot.changes.managers.manager import Manager, ManagerKind, Object, Recogniser
from bot.domain.text import inert


def _find(obj: Object) -> Manager | None:
    thing = obj.scaled_by("HorizontalPodAutoscaler")
    if thing is None or obj.scaled_by("ScaledObject") is not None:  # KEDA makes an HPA of its own
        return None
    spec = thing.fields.at("spec")
    least, most = spec.number("minReplicas"), spec.number("maxReplicas")
    least = 1 if least is None else least
    return Manager(
        name=f"HPA {inert(thing.name)}",
        kind=ManagerKind.AUTOSCALER,
        fields=(REPLICAS,),
        reverts=(
            f"it sets the replicas by its metrics, between {least} and {most if most is not None else 'its maximum'}, "
            f"every 15 s by default; while there are 0 replicas it stands still"
        ),
        instead=f"change minReplicas ({least}) or maxReplicas ({most}) of HPA {inert(thing.name)}",
    )


MANAGER = Recogniser(rank=21, find=_find)
