"""The platform's own health check says that a GPU of the node is bad (a node condition)."""

from bot.domain.answer import Remedy
from bot.domain.node import Condition
from bot.domain.text import inert
from bot.gpu import conditions
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.sight import Sight

ID = "condition"


def find(sight: Sight) -> Fault | None:
    bad = list(conditions.bad(sight.node))
    if not bad:
        return None
    return Fault(
        ID,
        sight.name,
        f"{sight.name} reports a GPU fault: `{bad[0].type}` {_since(sight, bad[0])}".rstrip(),
        evidence=tuple(f"`{one.type}={one.status}`: {inert(one.message or one.reason)}" for one in bad[:3]),
        remedies=(
            Remedy("Look at what it says", f"kubectl describe node {commands.quoted(sight.name)}"),
            commands.cordon(sight.name),
            commands.drain(sight),
        ),
    )


def _since(sight: Sight, one: Condition) -> str:
    return sight.ago(one.since)
