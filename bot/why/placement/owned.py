"""All pods of the owner that some of its pods are known of."""

from collections.abc import Iterable

from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.view import View


def owned(view: View, pods: Iterable[Pod]) -> list[Pod]:
    """Every pod of the topmost owners of these pods that counts: not finished, not on its way out.

    A Deployment's pods are those of all its ReplicaSets. Objects from files may have no uid: then names tell.
    """
    found: dict[str, Pod] = {}
    for pod in pods:
        if pod.owner is None:
            found[pod.key] = pod
            continue
        for owner in _owners(view, pod.namespace, pod.owner):
            found |= {one.key: one for one in _of(view, pod.namespace, owner)}
    return [pod for pod in found.values() if not pod.finished and not pod.deleted]


def _owners(view: View, namespace: str, owner: Owner) -> set[Owner]:
    """The owner, and the other ReplicaSets of its Deployment."""
    own = view.replicasets.get(f"{namespace}/{owner.name}") if owner.kind == "ReplicaSet" else None
    if own is None or own.owner is None:
        return {owner}
    sets = (one for one in view.replicasets.values() if one.namespace == namespace and one.owner is not None)
    same = (one for one in sets if one.owner and (one.owner.kind, one.owner.name) == (own.owner.kind, own.owner.name))
    return {owner, *(Owner("ReplicaSet", one.name, one.uid) for one in same)}


def _of(view: View, namespace: str, owner: Owner) -> Iterable[Pod]:
    named = (owner.kind, owner.name)
    candidates = view.pods_by_owner.get(owner.uid, ())
    return (
        one
        for one in candidates
        if one.namespace == namespace and one.owner and (one.owner.kind, one.owner.name) == named
    )
