"""Cordon a node: nothing new comes to it, what runs there stays."""

from datetime import datetime

from bot.changes.kind import Ask, ChangeKind, Progress
from bot.changes.node_steps import cordon_step, followed, node_of, uncordon_step
from bot.domain.change import Plan, Size
from bot.domain.node import Node
from bot.domain.view import View
from bot.domain.words import count
from bot.gpu import cordon
from bot.gpu.kind import gpus_in, gpus_of

FOLLOW_SECONDS = 60


def plan(ask: Ask) -> Plan:
    """Raises UsageError, NotFoundError."""
    node = node_of(ask)
    by = cordon.who(node)
    return Plan(
        kind=CHANGE.name,
        arguments={"node": node.name},
        title=f"cordon {node.name}",
        because=ask.because,
        steps=(cordon_step(node, ask.because),),
        effects=tuple(_effects(ask.view, node)),
        undo=(uncordon_step(node),),
        size=Size(nodes=1),
        refused=f"{node.name} is cordoned already{f', {by}' if by else ''}." if node.unschedulable else "",
    )


def _effects(view: View, node: Node) -> list[str]:
    live = [pod for pod in view.on_node(node.name) if not pod.finished]
    held = sum(map(gpus_of, live))
    told = ["Nothing new is placed there; pods that tolerate the cordon, such as those of DaemonSets, still come"]
    told.append(f"{count(len(live), 'pod')} there ({count(held, 'GPU')}) go on running" if live else "No pod is there")
    room = gpus_in(node.allocatable) - held
    if room > 0:
        told.append(f"{count(room, 'free GPU')} there can be used by nobody until it is uncordoned")
    return told


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    del now, applied_at
    return followed(plan, view, cordoned=True, there="cordoned")


CHANGE = ChangeKind("cordon", plan, follow, needs=frozenset({"nodes", "pods"}), follow_seconds=FOLLOW_SECONDS)
