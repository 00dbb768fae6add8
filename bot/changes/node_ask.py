"""What somebody asks for on a node: `gpu-3 confirm=gpu-3 because Xid 79`."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.changes.because import needs_because, split_because
from bot.changes.kind import Ask
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.named_node import named_node


def node_ask(
    words: Sequence[str],
    options: Mapping[str, str],
    view: View,
    inventory: Inventory,
    now: datetime,
    *,
    typed: str,
    evidence: Evidence = NO_EVIDENCE,
    reason: bool = True,
) -> Ask:
    """`typed`: the command, such as `/node drain`. reason: whether one must be given.

    Raises UsageError, NotFoundError with what to type instead.
    """
    named, because = split_because(words)
    node = named_node(view, named, typed)
    if reason:
        needs_because(because, f"{typed} {node.name} because Xid 79 on GPU 5")
    return Ask({"node": node.name, **options}, view, inventory, now, because=because, evidence=evidence)
