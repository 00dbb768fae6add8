"""The pods that belong to an owner, however many controllers stand between them."""

from collections.abc import Iterator

from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.view import View

LEADER_WORKER_SET = "leaderworkerset.sigs.k8s.io/name"
GROUPS = ("scheduling.k8s.io/group-name", "scheduling.x-k8s.io/pod-group", "kueue.x-k8s.io/pod-group-name")
BETWEEN = ("replicasets", "jobs", "statefulsets", "leaderworkersets", "deployments")
DEEPEST = 3


def pods_of(view: View, thing: Thing) -> Iterator[Pod]:
    """Each perhaps more than once. An owner from files may have no uid: none is known to belong to it then."""
    if thing.kind in ("Workload", "PodGroup"):
        yield from _members(view, thing)
    elif thing.kind == "LeaderWorkerSet":  # its workers belong to their leader, which is a pod: their label tells
        for pod in view.pods.values():
            if pod.namespace == thing.namespace and pod.labels.get(LEADER_WORKER_SET) == thing.name:
                yield pod
    elif thing.uid:
        yield from _owned(view, thing.uid, 0)


def _owned(view: View, uid: str, depth: int) -> Iterator[Pod]:
    yield from view.pods_by_owner.get(uid, ())
    if depth == DEEPEST:
        return
    for table in BETWEEN:
        for one in view.things(table).values():
            if one.owner is not None and one.owner.uid == uid and one.uid:
                yield from _owned(view, one.uid, depth + 1)


def _members(view: View, thing: Thing) -> Iterator[Pod]:
    """Of a queue's workload: the pods of the job that owns it. Of a pod group: those that name it."""
    if thing.owner is not None and thing.owner.uid:
        yield from view.pods_by_owner.get(thing.owner.uid, ())
    for pod in view.pods.values():
        if pod.namespace == thing.namespace and any(pod.labels.get(name) == thing.name for name in GROUPS):
            yield pod
