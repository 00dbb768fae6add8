"""Another object that makes this one: a Deployment its ReplicaSets, an operator's custom resource its Deployments.

https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents
"""

from bot.changes.managers.manager import Manager, ManagerKind, Object, Recogniser
from bot.domain.text import inert

_BUILT_IN = ("apps/", "batch/", "v1")


def _find(obj: Object) -> Manager | None:
    owner = next((each for each in obj.fields.each("metadata", "ownerReferences") if each.flag("controller")), None)
    if owner is None or not owner.text("kind"):
        return None
    name = f"{inert(owner.text('kind'))} {inert(owner.text('name'))}"
    built_in = owner.text("apiVersion").startswith(_BUILT_IN)
    who = name if built_in else f"the operator of {name}"
    return Manager(
        name=name,
        kind=ManagerKind.OWNER,
        fields=(),
        all_fields=True,
        reverts=f"{who} makes this object and sets what it wants of it again within seconds",
        instead=f"change {name}",
    )


MANAGER = Recogniser(rank=10, find=_find)
