"""The calls that stop a model: no replicas, KServe's own word for it, or the end of what gpubot deployed."""

from bot.changes.scale_steps import scale_step
from bot.changes.workload_target import thing_target
from bot.domain.change import Step, Target, Verb
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.scaling.forms import FORMS
from bot.scaling.kserve import STOP, stopping
from bot.why.shell import kubectl

INSTANCE, MANAGED_BY = "app.kubernetes.io/instance", "app.kubernetes.io/managed-by"
OURS = "gpubot"
_TABLES = ("scaledobjects", "services")  # go with the workload; weights stay


def zero(thing: Thing, *, back: bool = False) -> Step:
    return _kserve(thing, back=back) if thing.kind == "InferenceService" else scale_step(thing, 0, back=back)


def deployed_here(thing: Thing) -> bool:
    """Whether gpubot made it, by its labels."""
    return thing.labels.get(MANAGED_BY) == OURS and INSTANCE in thing.labels


def deletes(view: View, thing: Thing) -> tuple[Step, ...]:
    """Whoever sends requests or replicas goes first, the workload last."""
    beside = (one for table in _TABLES for one in view.things(table).values() if _belongs(one, thing))
    around = [_delete(one, plural) for one in beside for plural in _TABLES if one.kind.lower() + "s" == plural]
    return (*around, _delete(thing, FORMS[thing.kind].resource))


def left_over(thing: Thing) -> str:
    """The command that takes what a view does not show."""
    wanted = f"{INSTANCE}={thing.labels.get(INSTANCE, thing.name)},{MANAGED_BY}={OURS}"
    kinds = "configmap,poddisruptionbudget,job,pvc"
    return kubectl("delete", kinds, "-l", wanted, namespace=thing.namespace)


def _belongs(one: Thing, thing: Thing) -> bool:
    return (
        one.namespace == thing.namespace
        and deployed_here(one)
        and one.labels.get(INSTANCE) == thing.labels.get(INSTANCE, "-")
    )


def _delete(one: Thing, resource: str) -> Step:
    target = Target(
        api_version=one.api_version,
        kind=one.kind,
        resource=resource,
        namespace=one.namespace,
        name=one.name,
        uid=one.uid,
    )
    return Step(
        verb=Verb.DELETE,
        target=target,
        before={"metadata.uid": one.uid},
        after={"metadata.uid": None},
        says=f"delete {one.kind.lower()} {one.key}",
        command=kubectl("delete", one.kind.lower(), one.name, namespace=one.namespace),
    )


def _kserve(thing: Thing, *, back: bool) -> Step:
    """kserve/kserve:pkg/constants (StopAnnotationKey): the object stays, its pods go."""
    path = f"metadata.annotations.{STOP}"
    return Step(
        verb=Verb.PATCH,
        target=thing_target(thing, FORMS[thing.kind]),
        body={"metadata": {"annotations": {STOP: "false" if back else "true"}}},
        before={path: "true" if back else thing.annotations.get(STOP)},
        after={path: "false" if back else "true"},
        says=f"{'let KServe run' if back else 'have KServe stop'} {thing.key}{' again' if back else ''}",
        command=stopping(thing) if not back else f"{stopping(thing).removesuffix('true')}false --overwrite",
    )


def says_stopped(thing: Thing) -> bool:
    return thing.annotations.get(STOP) == "true"
