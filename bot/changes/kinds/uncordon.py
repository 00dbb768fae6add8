"""Uncordon a node: only where the cordon is ours, or where the person who asks has named the node a second time.

A cordon of an operator, an autoscaler or a colleague has a reason that gpubot does not know; taking it away puts
serving pods on a node that is about to be rebooted.
"""

from collections.abc import Iterator
from datetime import datetime

from bot.changes.kind import Ask, ChangeKind, Progress
from bot.changes.node_steps import cordon_step, followed, node_of, ours, uncordon_step
from bot.changes.places import helped
from bot.domain.change import Plan, Size
from bot.domain.node import LIFECYCLE_TAINTS, Node
from bot.domain.view import View
from bot.gpu import cordon
from bot.why.change import Uncordon

FOLLOW_SECONDS = 60


def plan(ask: Ask) -> Plan:
    """Raises UsageError, NotFoundError."""
    node = node_of(ask)
    confirmed = ask.arguments.get("confirm", "")
    return Plan(
        kind=CHANGE.name,
        arguments={"node": node.name, **({"confirm": confirmed} if confirmed else {})},
        title=f"uncordon {node.name}",
        because=ask.because,
        steps=(uncordon_step(node),),
        effects=tuple(_effects(ask.view, node)),
        warnings=tuple(_warnings(node)),
        undo=(cordon_step(node, ask.because),),
        size=Size(nodes=1),
        refused=_refused(node, confirmed),
    )


def _refused(node: Node, confirmed: str) -> str:
    if not node.unschedulable:
        return f"{node.name} is not cordoned."
    if ours(node) or confirmed == node.name:
        return ""
    by = cordon.who(node)
    whose = f"was cordoned {by}" if by.startswith("by ") else f"is cordoned ({by})" if by else "was cordoned by others"
    return (
        f"{node.name} {whose}, not by gpubot. If its reason is over, name the node again: "
        f"`/node uncordon {node.name} confirm={node.name} because …`"
    )


def _effects(view: View, node: Node) -> Iterator[str]:
    yield "New pods may be placed there again"
    fit, tried = helped(view, Uncordon(node.name), node.name) if node.unschedulable else (0, 0)
    if tried:
        yield f"Tried on a copy of the cluster: {fit} of {tried} GPU pods that wait would then fit there"


def _warnings(node: Node) -> Iterator[str]:
    if cordon.upgrading(node):
        state = node.labels.get(cordon.UPGRADE_STATE)
        yield f"A driver upgrade has this node in hand ({state}): it may cordon it again"
    if node.ready is not True:
        yield "The node is not Ready, so nothing is placed there even then"
    left = [str(taint) for taint in node.taints if taint.blocks and taint.key in LIFECYCLE_TAINTS and _other(taint.key)]
    if left:
        yield f"Its taints still keep pods away: {', '.join(left)}"


def _other(key: str) -> bool:
    return key != "node.kubernetes.io/unschedulable"


def follow(plan: Plan, view: View, now: datetime, applied_at: datetime) -> Progress:
    del now, applied_at
    return followed(plan, view, cordoned=False, there="open again")


CHANGE = ChangeKind("uncordon", plan, follow, needs=frozenset({"nodes", "pods"}), follow_seconds=FOLLOW_SECONDS)
