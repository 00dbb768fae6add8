"""Tables of the checklist's page: how many nodes have which answer, by point and by pool."""

from bot.checks.preflight.point import State
from bot.checks.preflight.report import NodeReport, Report, Verdict, points
from bot.domain.document import Table, table
from bot.domain.words import count

POOLS_SHOWN = 10


def by_point(report: Report) -> Table:
    rows = [
        (
            point.number,
            point.title,
            *(sum(node.points[place].state is state for node in report.nodes) or "–" for state in State),
        )
        for place, point in enumerate(points())
    ]
    return table(("", "point", "ok", "not ok", "unknown"), rows, numeric=(0, 2, 3, 4))


def by_pool(report: Report) -> Table:
    """Pools with trouble first."""
    rows = [
        (
            pool,
            len(nodes),
            *(sum(node.verdict is verdict for node in nodes) or "–" for verdict in Verdict),
            sum(bool(node.changing) for node in nodes) or "–",
        )
        for pool, nodes in sorted(report.pools.items(), key=lambda one: _worst(one[1]))
    ]
    left = len(rows) - POOLS_SHOWN
    more = f"and {count(left, 'more pool')}" if left > 0 else ""
    columns = ("pool", "nodes", "ready", "not ready", "unknown", "changing")
    return table(columns, rows[:POOLS_SHOWN], numeric=range(1, 6), more=more)


def _worst(nodes: list[NodeReport]) -> tuple[int, int]:
    return (
        -sum(node.verdict is Verdict.NOT_READY for node in nodes),
        -sum(node.verdict is Verdict.UNKNOWN for node in nodes),
    )
