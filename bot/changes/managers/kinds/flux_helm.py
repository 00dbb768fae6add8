"""Flux's helm-controller.

https://fluxcd.io/flux/components/helm/helmreleases/#drift-detection: off unless it is asked for, so that a change by
hand stays until the next release.
"""

from bot.changes.managers.manager import Manager, ManagerKind, Object, Recogniser
from bot.domain.text import inert

NAME, NAMESPACE = "helm.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/namespace"
FIELD_MANAGERS = ("helm-controller",)


def _find(obj: Object) -> Manager | None:
    fields, name = obj.owned_by(*FIELD_MANAGERS), obj.labels.get(NAME, "")
    if not (name or fields):
        return None
    place = inert(f"{obj.labels.get(NAMESPACE, '')}/{name}".strip("/"))
    title = f"Flux HelmRelease {place}".strip()
    return Manager(
        name=title,
        kind=ManagerKind.GITOPS,
        fields=fields,
        all_fields=not fields,
        reverts=(
            "with driftDetection.mode enabled it takes a change back at its next interval, else with the next release; "
            "the object does not show which"
        ),
        instead=f"change spec.values of {title}",
        source=f"spec.values of {title}",
    )


MANAGER = Recogniser(rank=32, find=_find, claims=FIELD_MANAGERS)
