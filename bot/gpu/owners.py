"""Who a pod belongs to, in the words people use: the Deployment, not the ReplicaSet; the team, if a label says so."""

from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.view import View
from bot.gpu.policy import Policy, first_label

_TEMPLATE_HASH = "pod-template-hash"
_GROUPS = "leaderworkerset.sigs.k8s.io/name"  # its groups are StatefulSets of their own, which nobody knows by name
DEEPEST = 6  # owners above each other


def top_owner(view: View, pod: Pod) -> tuple[str, str]:
    """Kind and name of the topmost known controller; the pod itself where it has none.

    Static pods are owned by their Node, which is nobody's work: they count as themselves.
    """
    owner = pod.owner
    if owner is None or owner.kind == "Node":
        return "Pod", pod.name
    if (groups := pod.labels.get(_GROUPS)) and owner.kind in ("StatefulSet", "LeaderWorkerSet", "Pod"):
        return "LeaderWorkerSet", groups
    above = _above(view, pod, owner)
    return (above.kind, above.name) if above else (owner.kind, owner.name)


def team(view: View, pod: Pod, policy: Policy) -> str:
    """The team by the pod's own label, else by its namespace's; empty where neither says."""
    own = first_label(pod.labels, policy.team_labels)
    if own:
        return own
    namespace = view.namespaces.get(pod.namespace)
    return first_label(namespace.labels, policy.team_labels) if namespace else ""


def _above(view: View, pod: Pod, owner: Owner) -> Owner | None:
    """The topmost owner that is known. Between them are ReplicaSets, Jobs, and for groups the leader's pod itself."""
    top: Owner | None = None
    for _ in range(DEEPEST):
        above = _next(view, pod, owner)
        if above is None or above.kind == "Node":
            break
        top = owner = above
    return top


def _next(view: View, pod: Pod, owner: Owner) -> Owner | None:
    if owner.kind == "Pod":
        leader = view.pods.get(f"{pod.namespace}/{owner.name}")
        return leader.owner if leader is not None and leader is not pod else None
    known = view.thing(owner.kind, pod.namespace, owner.name)
    if known is not None:
        return known.owner
    suffix = f"-{pod.labels.get(_TEMPLATE_HASH, '')}"  # the Deployment controller names its ReplicaSets so
    if owner.kind == "ReplicaSet" and len(suffix) > 1 and owner.name.endswith(suffix):
        return Owner("Deployment", owner.name.removesuffix(suffix))
    return None
