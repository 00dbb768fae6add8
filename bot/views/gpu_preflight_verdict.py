"""The first line of the checklist: ready, not ready, or could not tell, and by whom."""

from collections.abc import Iterator

from bot.checks.preflight.point import Outcome, Point, State
from bot.checks.preflight.report import NodeReport, Report, Verdict, points
from bot.domain.view import View
from bot.domain.words import count, names
from bot.views.gpu_preflight_lists import NAMED, nodes


def verdict(report: Report, view: View) -> str:
    if not view.knows("nodes"):
        return "Could not tell: nodes were not read."
    if not report.nodes:
        return f"Could not tell: there is no GPU node among {count(len(view.nodes), 'node')}, so nothing to judge."
    broken, silent = report.of(Verdict.NOT_READY), report.of(Verdict.UNKNOWN)
    of = f"of {count(len(report.nodes), 'GPU node')}"
    if broken:
        broken.sort(key=lambda node: _first_broken(node).number)
        reason = ", ".join(f"{node.name} ({_first_broken(node).id})" for node in broken[:NAMED])
        more = f" and {len(broken) - NAMED:,} more" if len(broken) > NAMED else ""
        return f"Not ready: {len(broken):,} {of} {'fails' if len(broken) == 1 else 'fail'} a point: {reason}{more}."
    if silent:
        missing = names(list(dict.fromkeys(_missing(report))), 10)
        return f"Could not tell: {len(silent):,} {of} did not show all that is required ({missing})."
    return f"Ready: {_ready(report)}"


def _ready(report: Report) -> str:
    """A node that changes is not at fault, and has not passed either."""
    pending = [node.name for node in report.nodes if any(one.passes for one in _required_of(node))]
    pools = count(len(report.pools), "pool")
    if not pending and len(report.nodes) == 1:
        return f"{report.nodes[0].name} passes."
    if not pending:
        return f"all {count(len(report.nodes), 'GPU node')} in {pools} pass."
    told = f"{len(report.nodes) - len(pending):,} of {count(len(report.nodes), 'GPU node')} in {pools} pass"
    return f"{told}, {nodes(pending)} {'is' if len(pending) == 1 else 'are'} still changing."


def _required_of(node: NodeReport) -> Iterator[Outcome]:
    return (one for point, one in zip(points(), node.points, strict=True) if point.required)


def _missing(report: Report) -> Iterator[str]:
    """Ids of required points that some node did not show, from the card upwards."""
    return (point.id for _, point, one in report.each(State.UNKNOWN) if point.required and not one.passes)


def _first_broken(node: NodeReport) -> Point:
    """From the card upwards."""
    return next(point for point, one in zip(points(), node.points, strict=True) if one.state is State.NOT_OK)
