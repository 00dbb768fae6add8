"""The calls that make a deployment, and those that take it back: to the revision before, or to nothing."""

from collections.abc import Iterable, Iterator
from typing import Any

from bot.deploying.candidate import Rendering
from bot.deploying.planner import own
from bot.domain.change import Step, Target, Verb
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.shell import kubectl

RESOURCES = {
    "ConfigMap": "configmaps",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Job": "jobs",
    "Deployment": "deployments",
    "LeaderWorkerSet": "leaderworkersets",
    "Service": "services",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "ScaledObject": "scaledobjects",
    "ServiceMonitor": "servicemonitors",
    "Ingress": "ingresses",
    "HTTPRoute": "httproutes",
}
_KEPT = ("PersistentVolumeClaim", "Job")  # what is there already stays as it is
_WORKLOADS = ("Deployment", "LeaderWorkerSet")


def target(made: dict[str, Any]) -> Target:
    metadata = made["metadata"]
    return Target(
        api_version=made["apiVersion"],
        kind=made["kind"],
        resource=RESOURCES[made["kind"]],
        namespace=metadata["namespace"],
        name=metadata["name"],
    )


def steps(rendering: Rendering, view: View) -> tuple[Step, ...]:
    return tuple(_step(made, view) for made in _wanted(rendering, view))


def _wanted(rendering: Rendering, view: View) -> Iterator[dict[str, Any]]:
    return (made for made in rendering.objects if made["kind"] not in _KEPT or not _is_there(made, view))


def _is_there(made: dict[str, Any], view: View) -> bool:
    metadata = made["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" in view.tables.get(RESOURCES[made["kind"]], {})


def _step(made: dict[str, Any], view: View) -> Step:
    where = target(made)
    verb = "bring" if made["kind"] in _WORKLOADS and own(view, made) is not None else "create"
    after = f"{verb} {where.kind.lower()} {where.namespace}/{where.name}"
    return Step(verb=Verb.APPLY, target=where, body=made, says=after + (" to it" if verb == "bring" else ""))


def undo(rendering: Rendering, view: View) -> tuple[Step, ...]:
    """Of a new one everything goes but weights that were there before; of an old one the revision before comes back."""
    old = own(view, rendering.workload)
    if old is not None:
        return (_back(old, target(rendering.workload)),)
    return tuple(_deletes(reversed(list(_wanted(rendering, view)))))


def _back(old: Thing, where: Target) -> Step:
    """Lists are replaced whole by a merge patch, so the template is what it was."""
    spec = old.fields.at("spec").data
    return Step(
        verb=Verb.PATCH,
        target=where,
        body={"spec": spec},
        says=f"bring {where.kind.lower()} {where.namespace}/{where.name} back to the revision before",
        command=kubectl("rollout", "undo", f"{where.kind.lower()}/{where.name}", namespace=where.namespace),
    )


def _deletes(objects: Iterable[dict[str, Any]]) -> Iterator[Step]:
    for made in objects:
        where = target(made)
        yield Step(
            verb=Verb.DELETE,
            target=where,
            says=f"delete {where.kind.lower()} {where.namespace}/{where.name}",
            command=kubectl("delete", where.resource, where.name, namespace=where.namespace),
        )
