"""Where pods would go: each is tried on a copy of the cluster, one after the other, so that none takes another's place.

The real scheduler may choose other nodes, and order matters where room is short: the answer is how many find a place
at most, those with most GPUs placed first.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.kind import gpus_of
from bot.scheduling.feasible import feasible_on
from bot.scheduling.state import State
from bot.why.change import Change, World

TRIED_AT_MOST = 60
WAITING_TRIED = 30


@dataclass(frozen=True, slots=True)
class Placed:
    """`homes` maps a pod's key to a node that would take it; `homeless` found none; `untried` were too many to try."""

    homes: dict[str, str]
    homeless: tuple[Pod, ...]
    untried: int = 0


def loose(pod: Pod) -> Pod:
    """The pod as its controller would make it again: without a node."""
    return msgspec.structs.replace(pod, node="", phase="Pending", uid="", nominated="", started="", deleted="")


def placed(state: State, pods: Iterable[Pod]) -> Placed:
    """Try to place pods that are gone from `state`, the hardest first."""
    ordered = sorted(pods, key=lambda pod: (-gpus_of(pod), pod.key))
    homes: dict[str, str] = {}
    homeless: list[Pod] = []
    for pod in ordered[:TRIED_AT_MOST]:
        fits = feasible_on(loose(pod), state, at_most=1)
        if fits:
            homes[pod.key] = fits[0]
            state = state.with_pod(loose(pod), fits[0])
        else:
            homeless.append(pod)
    return Placed(homes, tuple(homeless), max(0, len(ordered) - TRIED_AT_MOST))


def helped(view: View, change: Change, node: str) -> tuple[int, int]:
    """Of how many waiting GPU pods that were tried, how many would then fit on that node (each for itself)."""
    waiting = sorted((pod for pod in view.waiting if gpus_of(pod) and not pod.gated), key=lambda pod: pod.key)
    tried = waiting[:WAITING_TRIED]
    state = change.apply(World(tried[0], State(view))).state if tried else None
    fit = sum(1 for pod in tried if state is not None and feasible_on(pod, state, (node,)))
    return fit, len(tried)
