"""Whom it hits: each owner with its replicas that are left and the GPUs it misses, and what share of tokens is lost."""

from collections.abc import Iterable, Mapping

from bot.domain.alert import Hit
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.kind import gpus_of
from bot.gpu.owners import team, top_owner
from bot.gpu.policy import Policy
from bot.sweep.trouble import Entry

OWNERS_AT_MOST = 20
_REPLICAS = {"Deployment": "deployments", "StatefulSet": "statefulsets", "ReplicaSet": "replicasets"}


def hits(entry: Entry, view: View, policy: Policy, tokens: Mapping[str, float] | None = None) -> tuple[Hit, ...]:
    """tokens: tokens per second that each pod (by key) made while it was well; None: no engine tells.

    The largest first. Pods of other people on a node at fault are hit only where no pod can work there.
    """
    pods = entry.pods or tuple(_users(entry, view))
    by_owner: dict[tuple[str, str, str], list[Pod]] = {}
    for pod in pods:
        by_owner.setdefault((pod.namespace, *top_owner(view, pod)), []).append(pod)
    total = sum(tokens.values()) if tokens else 0.0
    found = [_hit(view, policy, key, mine, tokens or {}, total) for key, mine in by_owner.items()]
    found += [Hit(owner=one, ready=0, wanted=0) for one in _podless(entry, found)]
    return tuple(sorted(found, key=lambda one: (-one.gpus, one.owner))[:OWNERS_AT_MOST])


def ready(pod: Pod) -> bool:
    return bool(pod.node) and not pod.finished and not pod.deleted and pod.condition("Ready") is None


def _users(entry: Entry, view: View) -> Iterable[Pod]:
    """GPU pods on the nodes at fault."""
    return (pod for node in entry.root.nodes for pod in view.on_node(node) if gpus_of(pod) and not pod.finished)


def _podless(entry: Entry, found: list[Hit]) -> list[str]:
    """Owners that cannot make their pods."""
    known = {one.owner for one in found}
    return [one for one in dict.fromkeys(trouble.owner for trouble in entry.every) if one and one not in known]


def _hit(
    view: View, policy: Policy, key: tuple[str, str, str], pods: list[Pod], tokens: Mapping[str, float], total: float
) -> Hit:
    namespace, kind, name = key
    mine = _all_of(view, pods, key)
    lost = sum(tokens.get(pod.key, 0.0) for pod in pods)
    return Hit(
        owner=f"{namespace}/{name}",
        ready=sum(1 for pod in mine if ready(pod)),
        wanted=_wanted(view, kind, namespace, name) or sum(1 for pod in mine if not pod.finished and not pod.deleted),
        gpus=sum(map(gpus_of, pods)),
        team=team(view, pods[0], policy),
        tokens_share=lost / total if total else None,
    )


def _all_of(view: View, pods: list[Pod], key: tuple[str, str, str]) -> list[Pod]:
    """Every pod of that owner; those of a Deployment have several ReplicaSets above them."""
    uids = {pod.owner.uid for pod in pods if pod.owner}
    near = {pod for uid in uids for pod in view.pods_by_owner.get(uid, ())} | set(pods)
    if key[1] == "Deployment":
        near |= {pod for one in _sets_of(view, key[0], key[2]) for pod in view.pods_by_owner.get(one, ())}
    return list(near)


def _sets_of(view: View, namespace: str, deployment: str) -> Iterable[str]:
    for one in view.tables["replicasets"].values():
        owner = getattr(one, "owner", None)
        if owner is not None and owner.name == deployment and getattr(one, "namespace", "") == namespace:
            yield one.uid


def _wanted(view: View, kind: str, namespace: str, name: str) -> int:
    thing = view.things(_REPLICAS[kind]).get(f"{namespace}/{name}") if kind in _REPLICAS else None
    fields = getattr(thing, "fields", None)
    return (fields.number("spec", "replicas") or 0) if fields is not None else 0
