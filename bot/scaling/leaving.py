"""Which replicas go when there are to be fewer, in the order of their controllers.

ReplicaSet: kubernetes/kubernetes:pkg/controller/controller_utils.go (ActivePodsWithRanks). StatefulSet: the highest
number first. LeaderWorkerSet: the highest group first. Annotations, restarts and the time of readiness stand in whole
pods only: where those were not looked up the order is as far as it can be told.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.text import natural
from bot.domain.time import seconds_since
from bot.domain.view import View
from bot.scaling.standing import Standing
from bot.why.lws_groups import group_index
from bot.why.makers import pods_under
from bot.why.rolling import well

COST = "controller.kubernetes.io/pod-deletion-cost"
LOOKED_AT = 40
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
_COST_MOST = 2**31


@dataclass(frozen=True, slots=True)
class Leaving:
    """`pods` in the order in which they go. `why` says by which rule. `sure`: everything that decides was seen.

    spread: a rollout is under way, and the ReplicaSets of old and new templates share the loss.
    """

    pods: tuple[Pod, ...]
    why: str
    sure: bool = True
    spread: bool = False


def leaving(view: View, now: Standing, fewer: int, at: datetime, evidence: Evidence) -> Leaving:
    """`fewer` replicas, each of them all of its pods."""
    if now.thing.kind == "StatefulSet":
        return Leaving(_last(now, fewer), "the highest number first")
    if now.thing.kind == "LeaderWorkerSet":
        return Leaving(_groups(now, fewer), "the highest group first")
    several = now.rolling is not None and bool(now.rolling.old_pods) and bool(now.rolling.new_pods)
    maker_pods = {pod.key for pod in pods_under(view, now.maker)}
    pods = [pod for pod in now.pods if pod.key in maker_pods] if several else list(now.pods)
    whole = {pod.key: evidence.object("Pod", pod.namespace, pod.name) for pod in pods}
    on_node = Counter(pod.node for pod in now.pods if pod.node)
    ordered = sorted(pods, key=lambda pod: _rank(pod, whole[pod.key], on_node, at))
    gone = tuple(ordered[: max(0, fewer)])
    sure = fewer >= len(pods) or all(whole[pod.key] for pod in pods)
    return Leaving(gone, _why(gone, whole), sure, several)


def wanted(pods: Sequence[Pod]) -> tuple[ObjectRef, ...]:
    """Whole pods that decide the order."""
    return tuple(ObjectRef("Pod", pod.namespace, pod.name) for pod in pods[:LOOKED_AT])


def _rank(pod: Pod, whole: Fields, on_node: Counter[str], at: datetime) -> tuple[object, ...]:
    """Lowest goes first: no node, not running, not ready, cheap, many on one node, young, restarted."""
    ready = well(pod)
    restarts = max((one.restarts for one in pod.states), default=0)
    return (
        bool(pod.node),
        _PHASES.get(pod.phase, 1),
        ready,
        _cost(whole),
        -on_node[pod.node],
        _age(_ready_since(whole) if ready else "", at),
        -restarts,
        _age(pod.created, at),
        natural(pod.name),
    )


def _cost(whole: Fields) -> int:
    text = whole.map("metadata", "annotations").get(COST, "0")
    value = int(text) if text.lstrip("-").isascii() and text.lstrip("-").isdecimal() and len(text) < 12 else 0
    return max(-_COST_MOST, min(_COST_MOST, value))


def _ready_since(whole: Fields) -> str:
    return whole.condition("Ready").text("lastTransitionTime")


def _age(time: str, at: datetime) -> int:
    """On a scale on which each step is twice as long: pods of about the same age are alike (a random order)."""
    seconds = seconds_since(time, at) if time else None
    return int(math.log2(max(1.0, seconds))) if seconds is not None else 0


def _why(gone: Sequence[Pod], whole: dict[str, Fields]) -> str:
    if not gone:
        return ""
    first = gone[0]
    if not first.node:
        return "those without a node first"
    if not well(first):
        return "those that are not ready first"
    if _cost(whole[first.key]):
        return f"the lowest `{COST}` first"
    return "those that share a node with others of it first, then the younger ones"


def _last(now: Standing, fewer: int) -> tuple[Pod, ...]:
    ordered = sorted(now.pods, key=lambda pod: natural(pod.name), reverse=True)
    keep = now.wanted - fewer
    start = now.thing.fields.number("spec", "ordinals", "start") or 0
    return tuple(pod for pod in ordered if _ordinal(pod) >= start + keep)


def _ordinal(pod: Pod) -> int:
    text = pod.name.rpartition("-")[2]
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _groups(now: Standing, fewer: int) -> tuple[Pod, ...]:
    keep = now.wanted - fewer
    gone = [pod for pod in now.pods if (group_index(pod) or 0) >= keep]
    return tuple(sorted(gone, key=lambda pod: (-(group_index(pod) or 0), natural(pod.name))))
