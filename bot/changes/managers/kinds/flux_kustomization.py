"""Flux's kustomize-controller, which applies its manifests server-side again and again.

https://fluxcd.io/flux/components/kustomize/kustomizations/ (interval, and the annotations that leave an object out).
"""

from bot.changes.managers.manager import Manager, ManagerKind, Object, Recogniser
from bot.domain.text import inert

NAME, NAMESPACE = "kustomize.toolkit.fluxcd.io/name", "kustomize.toolkit.fluxcd.io/namespace"
RECONCILE, SSA = "kustomize.toolkit.fluxcd.io/reconcile", "kustomize.toolkit.fluxcd.io/ssa"
FIELD_MANAGERS = ("kustomize-controller",)


def _find(obj: Object) -> Manager | None:
    fields, name = obj.owned_by(*FIELD_MANAGERS), obj.labels.get(NAME, "")
    if not (name or fields):
        return None
    place = inert(f"{obj.labels.get(NAMESPACE, '')}/{name}".strip("/"))
    title = f"Flux Kustomization {place}".strip()
    return Manager(
        name=title,
        kind=ManagerKind.GITOPS,
        fields=fields,
        all_fields=not fields,
        reverts=_reverts(obj),
        instead=f"change the manifests that {title} applies, or suspend it for as long as it takes",
        source=f"the manifests of {title}",
    )


def _reverts(obj: Object) -> str:
    if obj.annotations.get(RECONCILE) == "disabled" or obj.annotations.get(SSA) in ("Ignore", "IfNotPresent"):
        return "an annotation tells it to leave this object alone, so it undoes nothing"
    return "it applies its manifests anew at every interval (spec.interval, often 10 min) unless it is suspended"


MANAGER = Recogniser(rank=31, find=_find, claims=FIELD_MANAGERS)
