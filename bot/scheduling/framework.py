"""kube-scheduler's framework in small: what a filter is, what it may answer, in which order filters are asked.

Each module of `bot.scheduling.filters` ends in `FILTER = Filter(...)` with kube-scheduler's own plugin name. The order
is that of the default profile (kubernetes/kubernetes:pkg/scheduler/apis/config/v1/default_plugins.go, release 1.36).
Filters are pure: they read the pod, the state and the data of their own `prefilter`, and change only that data.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

import msgspec

import bot.scheduling.filters
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.registry import collect
from bot.scheduling.room import Room
from bot.scheduling.snapshot import Snapshot
from bot.scheduling.state import NodeInfo, State

PROFILE = (
    "SchedulingGates",
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
    "NodeDeclaredFeatures",
)


class Code(Enum):
    """What a failure means, by kube-scheduler's own names."""

    UNSCHEDULABLE = "Unschedulable"  # evicting pods may help
    UNRESOLVABLE = "UnschedulableAndUnresolvable"  # evicting pods cannot help
    ERROR = "Error"  # the plugin broke: the whole cycle ends


class Failure(msgspec.Struct, frozen=True, gc=False):
    """Why a plugin turns the pod, or a node for the pod, down.

    `reasons` are kube-scheduler's texts, `detail` what they leave out: each filter's own frozen struct (numbers per
    resource, the taint, the term that does not match), None where the reasons say it all. Many are made per answer.
    """

    code: Code
    reasons: tuple[str, ...]
    detail: Any = None


@dataclass(frozen=True, slots=True)
class PreFilterResult:
    """`skip`: the filter has nothing to say to this pod. `nodes`: only these can do; None for all.

    `data` is handed to the filter.
    """

    skip: bool = False
    rejected: Failure | None = None
    nodes: frozenset[str] | None = None
    data: Any = None


SKIP = PreFilterResult(skip=True)
PASS = PreFilterResult()


def rejected(code: Code, *reasons: str) -> PreFilterResult:
    return PreFilterResult(rejected=Failure(code, reasons))


def _pass(pod: Pod, state: State) -> PreFilterResult:
    del pod, state
    return PASS


@dataclass(frozen=True)
class Filter:
    """One plugin.

    filter(pod, info, data, state): None where the node will do. Left out where a plugin only speaks before (gates).
    prefilter(pod, state): once per pod, before any node.
    preenqueue(pod, state): what keeps the pod out of the queue, without a word to anyone.
    copy(data, node=None): data that may be changed, by what happens on that node only where one is given. Only for
        filters whose data counts pods.
    update(data, pod, other, node, sign): `other` was added to (+1) or removed from (-1) the node; changes `data`,
        which is `copy`'s.
    column(pod, snapshot, data): `filter` of all nodes of an unchanged cluster at once, in the order of its `infos`.
        Left out where nodes are asked one after the other.
    room(data, info): for a filter to which only amounts matter: what is left there beside the pod.
    minds(data, other): whether it could matter that another pod comes to the node or leaves it, not counting amounts.
        Left out where other pods never matter.
    postfilter(pod, state, data, failures): the text that a failed cycle's message ends in (DynamicResources only); data
        is None where prefilter skipped, `failures` are the filter's own, of nodes where the scheduler asked it.
    """

    name: str
    docs: str
    filter: Callable[[Pod, NodeInfo, Any, State], Failure | None] | None = None
    prefilter: Callable[[Pod, State], PreFilterResult] = _pass
    preenqueue: Callable[[Pod, State], Failure | None] | None = None
    minds: Callable[[Any, Pod], bool] | None = None
    copy: Callable[..., Any] | None = None
    update: Callable[[Any, Pod, Pod, Node, int], None] | None = None
    column: Callable[[Pod, Snapshot, Any], list[Failure | None]] | None = None
    room: Callable[[Any, NodeInfo], Room] | None = None
    postfilter: Callable[[Pod, State, Any, Collection[Failure]], str] | None = None


@cache
def profile() -> tuple[Filter, ...]:
    """All filters in the order in which the scheduler asks them."""
    return tuple(sorted(collect(bot.scheduling.filters, "FILTER", Filter), key=lambda one: PROFILE.index(one.name)))
