"""What kube-scheduler counts for a pod.

kubernetes/component-helpers:resource/helpers.go (PodRequests), releases 1.28 and newer. Per resource:

1. app containers are added up;
2. init containers run one after another: each needs its own request beside the sidecars (restartPolicy Always)
   that were started before it, and sidecars stay, so they are added to the total too;
3. the larger of both counts, for the pod's whole life, however long ago its init containers ended;
4. a pod-level request (spec.resources) replaces the value for cpu, memory and hugepages, for nothing else;
5. the overhead of its RuntimeClass is added.
"""

from collections.abc import Iterable

from bot.domain.pod import Container
from bot.domain.record import NO_AMOUNTS, Amounts

_POD_LEVEL = ("cpu", "memory")


def effective(
    containers: Iterable[Container], *, pod_level: Amounts = NO_AMOUNTS, overhead: Amounts = NO_AMOUNTS
) -> dict[str, int]:
    """Resource name → whole number (see bot.domain.quantity), resources that nobody asks for left out."""
    total: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in containers:
        if container.init and not container.sidecar:
            _raise(peak, _sum(sidecars, container.requests))
            continue
        _add(total, container.requests)
        if container.init:
            _add(sidecars, container.requests)
            _raise(peak, sidecars)
    _raise(total, peak)
    total |= {name: value for name, value in pod_level.items() if name in _POD_LEVEL or name.startswith("hugepages-")}
    _add(total, overhead)
    return total


def _add(into: dict[str, int], more: Amounts) -> None:
    for resource, value in more.items():
        into[resource] = into.get(resource, 0) + value


def _sum(one: Amounts, other: Amounts) -> dict[str, int]:
    both = dict(one)
    _add(both, other)
    return both


def _raise(into: dict[str, int], other: Amounts) -> None:
    for resource, value in other.items():
        if value > into.get(resource, 0):
            into[resource] = value
