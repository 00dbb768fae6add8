"""Nodes that take no pods now and would do: still being set up, short of disk, out of reach. What brings them back.

Tolerating such a taint helps nobody: the pod would start on a node that cannot run it.
"""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from bot.domain.answer import Remedy
from bot.domain.node import LIFECYCLE_TAINTS
from bot.domain.time import seconds_since
from bot.domain.words import duration
from bot.why.change import World
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.commands import kubectl
from bot.why.placement.nodes import Survey
from bot.why.placement.starting import STARTING

YOUNG_SECONDS = 900.0  # a GPU node takes up to so long until all its agents run
NODES_TRIED = 12


def until(survey: Survey, world: World, now: datetime) -> str:
    """A new node that is still being set up, and has room once it is."""
    for name, blocker in _would_do(survey, world):
        age = seconds_since(survey.state.info(name).node.created, now)
        if blocker.about in STARTING and age is not None and age < YOUNG_SECONDS:
            return f"{name} is set up, which joined {duration(max(1.0, age))} ago and has room for it"
    return ""


def remedies(survey: Survey, world: World, now: datetime) -> Iterator[Remedy]:
    """Of the first such node."""
    for name, blocker in _would_do(survey, world):
        age = seconds_since(survey.state.info(name).node.created, now)
        if blocker.about not in STARTING or age is None or age >= YOUNG_SECONDS:
            yield _remedy(name, blocker)
        return


def _remedy(name: str, blocker: Blocker) -> Remedy:
    if who := STARTING.get(blocker.about):
        look = kubectl("", "get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={name}")
        return Remedy(f"See why {who} has not taken its taint off {name}: the pod then fits there", look, verified=True)
    if blocker.about.endswith("disk-pressure"):
        return Remedy(
            f"Free disk space on {name} (images, logs, finished pods): the kubelet lifts the taint by itself some "
            "minutes later, and the pod fits there",
            kubectl("", "describe", "node", name),
            verified=True,
        )
    return Remedy(f"Bring {name} back: the pod then fits there", f"/why node/{name}", verified=True)


def _would_do(survey: Survey, world: World) -> Iterator[tuple[str, Blocker]]:
    """Nodes that would take the pod but for such taints, with what is told of them."""
    for group in survey.groups:
        blocker = next((one for one in group.blockers if one.kind is Kind.NOT_READY), None)
        for name in group.nodes[:NODES_TRIED] if blocker else ():
            node = world.state.info(name).node
            kept = tuple(one for one in node.taints if one.key not in LIFECYCLE_TAINTS and one.key not in STARTING)
            ready = World(world.pod, world.state.with_node(msgspec.structs.replace(node, taints=kept)))
            if blocker and ready.fits([name]):
                yield name, blocker
