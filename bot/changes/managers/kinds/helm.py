"""Helm, used by hand or by a pipeline.

https://helm.sh/docs/faq/changes_since_helm2/ (three-way merge: what the chart sets wins over a change by hand).
"""

from bot.changes.managers.kinds import flux_helm
from bot.changes.managers.manager import Manager, ManagerKind, Object, Recogniser
from bot.domain.text import inert

RELEASE, RELEASE_NAMESPACE = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"
MANAGED_BY = "app.kubernetes.io/managed-by"
FIELD_MANAGERS = ("helm", "Helm")


def _find(obj: Object) -> Manager | None:
    """The label alone is no proof: charts that Argo CD renders carry it too."""
    fields, release = obj.owned_by(*FIELD_MANAGERS), obj.annotations.get(RELEASE, "")
    marked = obj.labels.get(MANAGED_BY) == "Helm" and bool(release)
    if not (fields or marked) or flux_helm.MANAGER.find(obj) is not None:
        return None
    place = inert(f"{obj.annotations.get(RELEASE_NAMESPACE, '')}/{release}".strip("/"))
    title = f"Helm release {place}" if place else "a Helm release"
    return Manager(
        name=title,
        kind=ManagerKind.RELEASE,
        fields=fields,
        all_fields=not fields,
        reverts="the next `helm upgrade` sets what the chart says again; until then it undoes nothing",
        instead=f"change the values of {title} and upgrade it",
        source=f"the values of {title}",
    )


MANAGER = Recogniser(rank=33, find=_find, claims=FIELD_MANAGERS)
