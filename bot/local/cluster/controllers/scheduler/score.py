"""Which of the fitting nodes is best; the smallest score wins.

As kube-scheduler's default profile: the node with the most CPU and memory left (LeastAllocated), GPUs do not count.
Pods without GPUs keep off GPU nodes, for a demo's sake. Ties go by name, with numbers in it read as numbers, so that
one seed gives one cluster.
"""

import re
from functools import lru_cache

from bot.local.cluster.controllers.scheduler.affinity import preference
from bot.local.cluster.controllers.scheduler.node import NodeView
from bot.local.cluster.controllers.scheduler.pod import PodView
from bot.local.cluster.controllers.scheduler.snapshot import Score

PERCENT = 100


def score(pod: PodView, node: NodeView) -> Score:
    special = any(wanted and is_device(name) for name, wanted in pod.requests.items())
    foreign = 0 if special else sum(map(is_device, node.allocatable))
    return (-preference(pod, node), foreign, _fullness(node), *_natural(node.name))


def is_device(resource: str) -> bool:
    """An extended resource such as nvidia.com/gpu."""
    return "/" in resource


def _fullness(node: NodeView) -> int:
    return _used(node, "cpu") + _used(node, "memory")


def _used(node: NodeView, resource: str) -> int:
    total = node.allocatable.get(resource, 0)
    return PERCENT * node.requested.get(resource, 0) // total if total else PERCENT


@lru_cache(maxsize=16_384)
def _natural(name: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.findall(r"\d+", name)]
    return tuple(numbers) or (0,)
