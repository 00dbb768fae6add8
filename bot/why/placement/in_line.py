"""Who else waits for the same room: the scheduler takes pods by priority, then those that it has not tried for longest.

kubernetes/kubernetes:pkg/scheduler/framework/plugins/queuesort/priority_sort.go
"""

from collections.abc import Iterator

import msgspec

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.gpu.owners import top_owner
from bot.scheduling.state import DEFAULT_SCHEDULER
from bot.why.change import World

TRIED_MOST = 12  # of those that wait, the highest priority first


def rival(world: World, node: str) -> Pod | None:
    """The pod that would have that node as soon as this one, or sooner, and leave it no room; None where none would."""
    for other in _others(world):
        if World(other, world.state).fits([node]) and not World(world.pod, world.state.with_pod(other, node)).fits(
            [node]
        ):
            return other
    return None


def told(remedy: Remedy, world: World, node: str) -> Remedy:
    """`world` is as the remedy leaves it. What goes to a pod of higher priority does not help this one."""
    other = rival(world, node)
    if other is None:
        return remedy
    if other.priority > world.pod.priority:
        words = f"{remedy.action}; but {other.key} waits too and comes first (priority {other.priority:,})"
        return msgspec.structs.replace(remedy, action=words, verified=False)
    cost = "; ".join(one for one in (remedy.cost, f"{other.key} waits too and may get the place first") if one)
    return msgspec.structs.replace(remedy, cost=cost)


def _others(world: World) -> Iterator[Pod]:
    pod, view = world.pod, world.state.view
    own = top_owner(view, pod)
    found = [
        one
        for one in view.waiting
        if one.priority >= pod.priority
        and not (one.gated or one.deleted or one.nominated)
        and one.scheduler in ("", DEFAULT_SCHEDULER)
        and (one.namespace, top_owner(view, one)) != (pod.namespace, own)
    ]
    found.sort(key=lambda one: (-one.priority, one.created, one.key))
    yield from found[:TRIED_MOST]
