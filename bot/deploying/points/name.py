"""Whether the name is free, or is a deployment that gpubot made and may change."""

from bot.deploying.manifests.manifest import MANAGED_BY
from bot.deploying.points.point import Asked, Ground, Told

_KINDS = ("Deployment", "LeaderWorkerSet", "StatefulSet", "Service", "InferenceService")


def judge(ground: Ground) -> Told:
    name, namespace = ground.manifests.name, ground.namespace
    for kind in _KINDS:
        found = ground.view.thing(kind, namespace, name)
        if found is None:
            continue
        if found.labels.get("app.kubernetes.io/managed-by") == MANAGED_BY:
            return Told(True, f"{kind.lower()} `{name}` is gpubot's own: it is brought to the new version")
        return Told(False, f"{kind.lower()} `{namespace}/{name}` is there and is not gpubot's", f"type `name={name}-2`")
    unread = [kind for kind in ("deployments", "services") if not ground.view.knows(kind)]
    if unread:
        return Told(None, f"whether `{name}` is free: {unread[0]} were not read", f"`kubectl -n {namespace} get all`")
    return Told(True, f"the name `{name}` is free")


POINT = Asked(20, "name", "Name", judge, page=__doc__ or "")
