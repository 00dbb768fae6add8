"""Workloads whose pods can be started anew, as the API server addresses them, and where their pod template stands."""

from collections.abc import Mapping

from bot.domain.change import Target
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.grammar import quoted
from bot.scaling.forms import FORMS as SCALABLE
from bot.scaling.forms import Form

FORMS: Mapping[str, Form] = {
    **{kind: SCALABLE[kind] for kind in ("Deployment", "StatefulSet")},
    "DaemonSet": Form("apps/v1", "daemonsets"),
    "LeaderWorkerSet": SCALABLE["LeaderWorkerSet"],
}


def workload_of(view: View, arguments: Mapping[str, str]) -> Thing:
    """The thing that `kind`, `namespace` and `name` mean. Raises UsageError, NotFoundError."""
    kind, namespace, name = (arguments.get(key, "") for key in ("kind", "namespace", "name"))
    if kind not in FORMS:
        raise UsageError(f"{quoted(kind)} cannot be restarted; what can be: {', '.join(FORMS)}.")
    found = view.thing(kind, namespace, name)
    if found is None:
        raise NotFoundError(f"There is no {kind} {quoted(f'{namespace}/{name}')} any more.")
    return found


def thing_target(thing: Thing, form: Form, subresource: str = "") -> Target:
    return Target(
        api_version=thing.api_version or form.api_version,
        kind=thing.kind,
        resource=form.resource,
        namespace=thing.namespace,
        name=thing.name,
        uid=thing.uid,
        subresource=subresource,
    )


def pod_spec(thing: Thing) -> Fields:
    return thing.fields.at(*FORMS[thing.kind].template, "spec")


def replicas(thing: Thing) -> int:
    """How many pods it wants; of a DaemonSet as many as its controller counted nodes."""
    fields = thing.fields
    if thing.kind == "DaemonSet":
        return fields.number("status", "desiredNumberScheduled") or 0
    number = fields.number("spec", "replicas")
    size = fields.number("spec", "leaderWorkerTemplate", "size") or 1
    return (1 if number is None else number) * size
