"""Argo CD.

https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/ (annotation by default since 3.0, before that
the label app.kubernetes.io/instance, which charts set as well) and .../user-guide/auto_sync/ (self-healing is off
unless it is asked for, and heals within seconds).
"""

from bot.changes.managers.manager import Manager, ManagerKind, Object, Recogniser
from bot.domain.text import inert

TRACKING = "argocd.argoproj.io/tracking-id"
INSTANCE = "argocd.argoproj.io/instance"
COMMON_INSTANCE = "app.kubernetes.io/instance"
FIELD_MANAGERS = ("argocd*",)


def _find(obj: Object) -> Manager | None:
    fields = obj.owned_by(*FIELD_MANAGERS)
    application = _application(obj, bool(fields))
    if application is None:
        return None
    name = f"Argo CD application {inert(application)}" if application else "Argo CD"
    return Manager(
        name=name,
        kind=ManagerKind.GITOPS,
        fields=fields,
        all_fields=not fields,
        reverts=(
            "with self-healing on it takes back within seconds what its source says otherwise, else with its next "
            "sync; the object does not show which"
        ),
        instead=f"change the source of {name}, or have replicas left out of it by ignoreDifferences",
        source=f"the source of {name}",
    )


def _application(obj: Object, has_fields: bool) -> str | None:
    """Empty where it is Argo CD but not told which; None where it is not Argo CD.

    A copied tracking id names another object, and then says nothing of this one.
    """
    tracked = obj.annotations.get(TRACKING, "")
    application, _, rest = tracked.partition(":")
    if tracked and rest.endswith(f"/{obj.kind}:{obj.namespace}/{obj.name}"):
        return application
    if label := obj.labels.get(INSTANCE):
        return label
    return obj.labels.get(COMMON_INSTANCE, "") if has_fields else None


MANAGER = Recogniser(rank=30, find=_find, claims=FIELD_MANAGERS)
