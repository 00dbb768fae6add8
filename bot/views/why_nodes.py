"""The table of nodes behind a verdict: what blocks each, for those who want to check it."""

from bot.domain.document import Table, table
from bot.domain.text import natural
from bot.domain.words import count
from bot.why.case import Case
from bot.why.explain import Explanation
from bot.why.placement.blockers import of_rejection
from bot.why.placement.nodes import Survey, survey

ROWS = 25


def table_of(result: Explanation) -> Table | None:
    """Nodes that could run it first, those with most left before others; None where no node was asked."""
    case = result.case
    verdict = case.verdict if case.waits else None
    if verdict is None or not verdict.nodes:
        return None
    found = survey(verdict.pod, case.state, verdict)
    out_of_question = {name for nodes in found.never.values() for name in nodes}
    order = sorted(verdict.nodes, key=lambda name: (name in out_of_question, -found.free(name), natural(name)))
    rows = [_row(name, found, case) for name in order[:ROWS]]
    left = len(order) - ROWS
    more = f"and {count(left, 'more node')}: `gpubot verdicts` has them all" if left > 0 else ""
    if not found.main:
        return table(("node", "what is in the way"), [(name, why) for name, _, why in rows], more=more)
    return table(("node", "free", "what is in the way"), rows, numeric=(1,), more=more)


def _row(name: str, found: Survey, case: Case) -> tuple[str, int, str]:
    node = case.state.info(name).node
    told = [blocker.words for one in found.verdict.nodes[name] for blocker in of_rejection(one, node, case.view)]
    return name, found.free(name), "; ".join(told).replace("`", "") or "fits"
