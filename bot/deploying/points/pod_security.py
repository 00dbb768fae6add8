"""Whether the namespace's Pod Security level takes the pods. https://kubernetes.io/docs/concepts/security/pod-security-standards/

The engine's official images run as root, which `restricted` forbids; IPC_LOCK for RDMA is beyond `baseline`.
"""

from bot.deploying.points.point import Asked, Ground, Told

_LEVEL = "pod-security.kubernetes.io/enforce"


def judge(ground: Ground) -> Told:
    space = ground.view.namespaces.get(ground.namespace)
    if space is None:
        return Told(None, "which Pod Security level holds: the namespace was not read")
    level = space.labels.get(_LEVEL, "privileged")
    locks = ground.manifests.draft.nodes_per_replica > 1 and bool(ground.manifests.draft.pool.rdma_resource)
    wrong = level == "restricted" or (level == "baseline" and locks)
    if wrong:
        what = "images that run as root" if level == "restricted" else "the capability IPC_LOCK, which RDMA needs"
        return Told(
            False,
            f"namespace `{ground.namespace}` enforces `{level}`, which refuses {what}",
            f"Use a namespace with a lower level: `kubectl label ns {ground.namespace} {_LEVEL}=baseline --overwrite`"
            if not locks
            else f"`kubectl label ns {ground.namespace} {_LEVEL}=privileged --overwrite`, if its owner agrees",
        )
    if _LEVEL not in space.labels:
        return Told(True, f"namespace `{ground.namespace}` sets no Pod Security level")
    return Told(True, f"Pod Security (`{level}`) takes its pods")


POINT = Asked(70, "pod-security", "Pod Security", judge, page=__doc__ or "")
