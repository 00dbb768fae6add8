"""The calls that make a deployment, and those that take it back: to the revision before, or to nothing."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.deploying.candidate import Rendering
from bot.deploying.trying import own
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
_ARGUMENTS = "ConfigMap"  # named by its content: the revision before may use the same


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
    """Of a new one everything goes but weights that were there before; of an old one the revision before comes back,
    and what came with the new one goes.
    """
    old = own(view, rendering.workload)
    made = list(_wanted(rendering, view))
    if old is None:
        return tuple(_deletes(reversed(made)))
    came = [one for one in made if one["kind"] not in (*_WORKLOADS, _ARGUMENTS) and _came(one, view)]
    return (_back(old, rendering.workload), *_deletes(reversed(came)))


def _came(made: dict[str, Any], view: View) -> bool:
    """Whether it is new, as far as that can be told."""
    return view.knows(RESOURCES[made["kind"]]) and not _is_there(made, view)


def _back(old: Thing, new: dict[str, Any]) -> Step:
    where = target(new)
    return Step(
        verb=Verb.PATCH,
        target=where,
        body={"spec": restored(old.fields.at("spec").data, new["spec"])},
        says=f"bring {where.kind.lower()} {where.namespace}/{where.name} back to the revision before",
        command=kubectl("rollout", "undo", f"{where.kind.lower()}/{where.name}", namespace=where.namespace),
    )


def restored(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch that makes the old of the new: what only the new has becomes null, lists are replaced whole.

    RFC 7386. A rolling update's numbers that stay behind with `Recreate` would be refused.
    """
    gone: dict[str, Any] = {key: None for key in new if key not in old}
    kept = {
        key: restored(value, new[key]) if isinstance(value, Mapping) and isinstance(new.get(key), Mapping) else value
        for key, value in old.items()
    }
    return {**kept, **gone}


def _deletes(objects: Iterable[dict[str, Any]]) -> Iterator[Step]:
    for made in objects:
        where = target(made)
        yield Step(
            verb=Verb.DELETE,
            target=where,
            says=f"delete {where.kind.lower()} {where.namespace}/{where.name}",
            command=kubectl("delete", where.resource, where.name, namespace=where.namespace),
        )
