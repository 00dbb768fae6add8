"""Whether the name is free, or is a deployment that gpubot made and may change: same model, same kind."""

from collections.abc import Iterator

from bot.deploying.manifests.manifest import MANAGED_BY, MANAGED_BY_LABEL, MODEL
from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.thing import Thing

_WORKLOADS = ("Deployment", "LeaderWorkerSet", "StatefulSet", "InferenceService")
_LONGEST_GROUP = 49  # a group's StatefulSet is called NAME-99 and has its hash behind that in a label of 63
_NOT_GPUBOTS = "is there and is not gpubot's"


def judge(ground: Ground) -> Told:
    name, namespace = ground.manifests.name, ground.namespace
    if (wrong := next(_wrong(ground), None)) is not None:
        return wrong
    unread = [kind for kind in ("deployments", "services") if not ground.view.knows(kind)]
    if unread:
        return Told(None, f"whether `{name}` is free: {unread[0]} were not read", f"`kubectl -n {namespace} get all`")
    if (own := ground.candidate.replaces) is not None:
        return Told(True, f"{own.kind.lower()} `{name}` is gpubot's own: it is brought to the new version")
    return Told(True, f"the name `{name}` is free")


def _wrong(ground: Ground) -> Iterator[Told]:
    name, kind = ground.manifests.name, ground.candidate.rendering.workload["kind"]
    if kind == "LeaderWorkerSet" and len(name) > _LONGEST_GROUP:
        short = name[:_LONGEST_GROUP].rstrip("-")
        yield Told(False, f"`{name}` is too long for pods of several nodes", f"type `name={short}`")
    for found in _there(ground):
        where = f"{found.kind.lower()} `{found.namespace}/{name}`"
        if found.labels.get(MANAGED_BY_LABEL) != MANAGED_BY:
            yield Told(False, f"{where} {_NOT_GPUBOTS}", f"type `name={name}-2`")
        elif found.labels.get(MODEL, model := ground.manifests.draft.model.id) != model:
            other = found.labels[MODEL]
            yield Told(False, f"{where} serves {other}, and a workload keeps its model", f"type `name={name}-2`")
        elif found.kind in _WORKLOADS and found.kind != kind:
            yield Told(False, f"{where} is there, and this needs a {kind}", f"type `name={name}-2`, or stop it first")


def _there(ground: Ground) -> Iterator[Thing]:
    for kind in (*_WORKLOADS, "Service"):
        found = ground.view.thing(kind, ground.namespace, ground.manifests.name)
        if found is not None:
            yield found


POINT = Asked(20, "name", "Name", judge, page=__doc__ or "")
