"""Lists of the checklist's page: what is not OK, what is not known, what is worth knowing.

Nodes with the same trouble stand in one line, so that eight hundred nodes fit one screen as eight do.
"""

from collections.abc import Iterable, Iterator

from bot.checks.preflight.driver import UNREAD
from bot.checks.preflight.point import Outcome, Point, State
from bot.checks.preflight.report import NodeReport, Report
from bot.domain.document import Code, Line, Span, line, sentence
from bot.domain.text import natural
from bot.domain.view import View
from bot.domain.words import names
from bot.views import sources

NEEDED = ("nodes", "pods")
HELPFUL = ("daemonsets", "events", "runtimeclasses", "clusterpolicies", "resourceslices", "nodeclaims")
NAMED, SENTENCE_MAX = 4, 420
Told = tuple[NodeReport, Point, Outcome]


def alike(told: Iterable[Told]) -> Iterator[list[Told]]:
    """Nodes with the same trouble at the same point."""
    groups: dict[tuple[str, str], list[Told]] = {}
    for one in told:
        groups.setdefault((one[1].id, one[2].reason), []).append(one)
    yield from groups.values()


def fault(group: list[Told]) -> Line:
    remedies = group[0][2].remedies
    spans: list[Span] = [*sentence(_whose(group))]
    if remedies:
        spans += [*sentence(f". {remedies[0].action}{': ' if remedies[0].command else ''}")]
        spans += [Code(remedies[0].command)] if remedies[0].command else []
    return tuple(spans)


def _whose(group: list[Told]) -> str:
    """`driver: gpu-1 …`; of several nodes their names, and what the first of them has."""
    _, point, first = group[0]
    told = _capped(first.sentence)
    if len(group) == 1:
        return f"{point.id}: {told}"
    return f"{point.id}: {nodes([node.name for node, _, _ in group])}, such as: {told}"


def nodes(of: list[str]) -> str:
    listed = sorted(of, key=natural)
    return of[0] if len(of) == 1 else f"{len(of):,} nodes ({names(listed, NAMED)})"


def _capped(text: str) -> str:
    return text if len(text) <= SENTENCE_MAX else text[: SENTENCE_MAX - 1].replace("`", "") + "…"


def notes(report: Report) -> Iterator[str]:
    """What passes by itself, and what stands beside points; each text once with how many nodes have it."""
    for texts in ([(node.name, (node.changing,)) for node in report.nodes if node.changing], _beside(report)):
        same: dict[str, list[str]] = {}
        first: dict[str, str] = {}
        for name, said in texts:
            for text in said:
                kind = text.replace(name, "")
                same.setdefault(kind, []).append(name)
                first.setdefault(kind, text)
        for kind, whose in same.items():
            told = _capped(first[kind])
            yield told if len(whose) == 1 else f"{nodes(whose)}, such as: {told}"


def _beside(report: Report) -> list[tuple[str, tuple[str, ...]]]:
    return [(node.name, one.notes) for node in report.nodes for one in node.points if one.notes]


def unknown(report: Report, view: View) -> list[str]:
    """What was not told: required points first, then cards that nobody read, kinds, points that are not required."""
    kinds = {name: source for name in (*NEEDED, *HELPFUL) if not (source := view.source(name)).known}
    groups = list(alike(one for one in report.each(State.UNKNOWN) if not one[2].passes and not one[2].follows))
    lines = sources.not_read(kinds[name] for name in NEEDED if name in kinds)
    lines += [_whose(group) for group in groups if group[0][1].required]
    unread = [node.name for node in report.nodes if any(UNREAD in one for one in node.points[0].evidence)]
    if unread:
        lines.append(f"errors, heat and links of the cards of {nodes(unread)}: neither agent nor DCGM exporter told")
    others = sources.not_read(kinds[name] for name in HELPFUL if name in kinds)
    lines += [names(others, len(HELPFUL))] if others else []
    return lines + [f"{_whose(group)} (not required)" for group in groups if not group[0][1].required]


def some(lines: list[Line], shown: int) -> tuple[Line, ...]:
    left = len(lines) - shown
    return (*lines[:shown], *([line(f"and {left:,} more; narrow it with pool= or node=")] if left > 0 else []))
