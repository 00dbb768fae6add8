"""The chain of a node, bottom up: the first broken link is told, what only follows from it is not."""

from collections.abc import Iterator

from bot.domain.evidence import ObjectRef, Ref
from bot.domain.words import duration
from bot.gpu.stack.fault import Fault, Finder
from bot.gpu.stack.faults import (
    condition,
    doubled,
    driver,
    fabric,
    handler,
    hang,
    image,
    lost,
    mig,
    mismatch,
    operand,
    operator,
    paused,
    plugin,
    rejects,
    restarted,
    runtime,
    unplaced,
    unregistered,
    unscheduled,
    upgrade,
    wedged,
    xids,
)
from bot.gpu.stack.sight import Sight

JOINING = "joining"
# Deepest first: what stands before explains what comes after, where it says so.
FINDERS: tuple[Finder, ...] = (
    mismatch.find,
    wedged.find,
    hang.find,
    rejects.find,
    upgrade.find,
    runtime.find,
    image.find,
    driver.find,
    handler.find,
    fabric.find,
    mig.find,
    operand.find,
    paused.find,
    unscheduled.find,
    unplaced.find,
    plugin.find,
    restarted.find,
    lost.find,
    xids.find,
    condition.find,
    doubled.find,
    operator.find,
    unregistered.find,
)
# What a node shows in its first minutes anyway.
_AT_START = frozenset(
    """
    driver driver_not_loaded driver_installs
    operand operator plugin plugin_stopped missing unregistered unplaced unscheduled handler
    paused kubelet_restarted registering
    """.split()
)


def faults(sight: Sight) -> list[Fault]:
    """All that do not follow from one another, the deepest first; empty where the node is as it should be."""
    return list(_faults(sight))


def _faults(sight: Sight) -> Iterator[Fault]:
    explained: set[str] = set()
    joining = _joining(sight)
    if joining is not None:
        explained |= joining.explains
    for find in FINDERS:
        fault = find(sight)
        if fault is not None and fault.id not in explained:
            explained |= {fault.id, *fault.explains}
            yield fault
    if joining is not None:
        yield joining


def _joining(sight: Sight) -> Fault | None:
    """A node that came up minutes ago: driver, toolkit and plugin are still on their way."""
    if sight.young_since is None or sight.offered or sight.expected is None:
        return None
    return Fault(
        JOINING,
        sight.name,
        f"{sight.name} came up {duration(max(1.0, sight.young_since))} ago and has not registered its GPUs yet, "
        "which is usual in the first 10 min",
        explains=_AT_START,
        passes=True,
        until=f"{sight.name} has registered its GPUs, within 10 min of its start as a rule",
    )


def wanted(sight: Sight) -> tuple[Ref, ...]:
    """What would tell more about the node, the most telling first."""
    rejected = rejects.rejections(sight)[-1:]
    return (*sight.wanted(), *(ObjectRef("Pod", pod.namespace, pod.name) for pod in rejected))
