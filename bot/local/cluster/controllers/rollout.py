"""The arithmetic of a rolling update: how far the new ReplicaSet may grow and the old ones must shrink.

Source: kubernetes/kubernetes:pkg/controller/deployment/rolling.go and util/deployment_util.go.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Size:
    """A ReplicaSet in numbers."""

    name: str
    wanted: int
    available: int


@dataclass(frozen=True, slots=True)
class Limits:
    surge: int
    unavailable: int


def limits(deployment_spec: dict[str, Any], replicas: int) -> Limits:
    """maxSurge rounds up, maxUnavailable down; both nought would stand still, so one may be missing then."""
    rolling = (deployment_spec.get("strategy") or {}).get("rollingUpdate") or {}
    surge = resolve(rolling.get("maxSurge", "25%"), replicas, up=True)
    unavailable = resolve(rolling.get("maxUnavailable", "25%"), replicas, up=False)
    return Limits(surge, unavailable if surge or unavailable else 1)


def resolve(value: int | str, total: int, *, up: bool) -> int:
    """An absolute number or a percentage of `total`."""
    if isinstance(value, int):
        return value
    if not value.endswith("%"):
        return int(value)
    share = int(value[:-1]) * total / 100
    return math.ceil(share) if up else math.floor(share)


def grow(new: Size, olds: Sequence[Size], replicas: int, limit: Limits) -> int:
    """How many replicas the new ReplicaSet should have now."""
    if new.wanted >= replicas:
        return replicas
    room = replicas + limit.surge - new.wanted - sum(old.wanted for old in olds)
    return new.wanted + max(0, min(room, replicas - new.wanted))


def shrink(new: Size, olds: Sequence[Size], replicas: int, limit: Limits) -> dict[str, int]:
    """What old ReplicaSets should have now: the broken pods go first, then as many as availability allows."""
    total = new.wanted + sum(old.wanted for old in olds)
    floor = replicas - limit.unavailable
    spare = total - floor - max(0, new.wanted - new.available)
    sizes = {old.name: old.wanted for old in olds}
    if spare <= 0:
        return sizes
    broken = spare
    for old in olds:
        less = min(broken, max(0, old.wanted - old.available))
        sizes[old.name] -= less
        broken -= less
    running = new.available + sum(min(old.available, sizes[old.name]) for old in olds)
    healthy = max(0, running - floor)
    for old in olds:
        less = min(healthy, sizes[old.name])
        sizes[old.name] -= less
        healthy -= less
    return sizes
