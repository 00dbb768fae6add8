"""Pods that should have ended long ago and still hold what is needed: waiting for them is not right."""

from collections.abc import Iterator
from datetime import datetime

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.time import seconds_since
from bot.domain.words import duration, names
from bot.why.change import End, World
from bot.why.placement.blocker import Kind
from bot.why.placement.nodes import Survey

OVERDUE_SECONDS = 600.0  # after the end of its grace period, which deletionTimestamp tells
NODES_TRIED = 12


def is_overdue(pod: Pod, now: datetime) -> bool:
    over = seconds_since(pod.deleted, now) if pod.deleted else None
    return over is not None and over > OVERDUE_SECONDS


def remedies(survey: Survey, world: World, now: datetime) -> Iterator[Remedy]:
    """For the first node where they alone are in the way: why they do not end is the question to ask."""
    for group in survey.groups:
        for name in group.nodes[:NODES_TRIED] if group.kinds <= {Kind.SHORT} else ():
            going = tuple(pod for pod in survey.state.info(name).live if pod.deleted)
            late = [pod for pod in going if is_overdue(pod, now)]
            if late and End(going, "").apply(world).fits([name]):
                yield _remedy(late, name, now)
                return


def _remedy(late: list[Pod], node: str, now: datetime) -> Remedy:
    longest = max(seconds_since(pod.deleted, now) or 0.0 for pod in late)
    does = "does" if len(late) == 1 else "do"
    return Remedy(
        f"See why {names([pod.key for pod in late])} {does} not end: deleted {duration(longest)} ago and still there; "
        f"once gone, the pod fits on {node}",
        f"/why {late[0].key}",
        verified=True,
    )
