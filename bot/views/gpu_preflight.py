"""How the checklist looks: the verdict, pools with counts, the ten points with counts, and by name only what is not OK.

Nodes with the same trouble stand in one line, so that eight hundred nodes fit one screen as eight do.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from bot.checks.preflight.driver import UNREAD
from bot.checks.preflight.point import Outcome, Point, State
from bot.checks.preflight.report import NodeReport, Report, Verdict, points
from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Line, Part, Span, Table, line, paragraph, sentence, table
from bot.domain.text import inert
from bot.domain.view import View
from bot.domain.words import count, names
from bot.views import sources
from bot.views.shortened import shortened

NEEDED = ("nodes", "pods")
HELPFUL = ("daemonsets", "events", "runtimeclasses", "clusterpolicies", "resourceslices", "nodeclaims")
POOLS_SHOWN, FAULTS_SHOWN, UNKNOWN_SHOWN, NOTES_SHOWN = 10, 10, 5, 5
NAMED, SENTENCE_MAX = 4, 420
_IDS = {
    Verdict.READY: "preflight.ready",
    Verdict.NOT_READY: "preflight.not_ready",
    Verdict.UNKNOWN: "preflight.unknown",
}
Told = tuple[NodeReport, Point, Outcome]


def show(report: Report, view: View, now: datetime) -> Reply:
    """Raises nothing: every state of the data has words."""
    verdict = _verdict(report, view)
    missing = unknown(report, view)
    document = Document(sentence(verdict), tuple(_parts(report, missing)), _footer(report, view, now))
    broken = [one for one in report.each(State.NOT_OK) if not one[2].follows]
    answer = Answer(
        cause=Cause(_IDS[report.verdict], inert(verdict.replace("`", ""), 1_000)),
        as_of=view.oldest(*NEEDED),
        evidence=tuple(outcome.sentence for _, _, outcome in broken),
        remedies=tuple(dict.fromkeys(outcome.remedies[0] for _, _, outcome in broken if outcome.remedies)),
        unknown=tuple(missing),
        sources=tuple(sources.lines(view, now, (*NEEDED, *HELPFUL))),
        numbers=_numbers(report),
        told=report.verdict is not Verdict.UNKNOWN,
    )
    return Reply(answer, shortened(document))


def unknown(report: Report, view: View) -> list[str]:
    """What was not told: required points first, then cards that nobody read, kinds, and points that are not required."""
    kinds = {name: source for name in (*NEEDED, *HELPFUL) if not (source := view.source(name)).known}
    groups = list(_alike(one for one in report.each(State.UNKNOWN) if not one[2].passes and not one[2].follows))
    lines = sources.not_read(kinds[name] for name in NEEDED if name in kinds)
    lines += [_whose(group) for group in groups if group[0][1].required]
    unread = [node.name for node in report.nodes if any(UNREAD in one for one in node.points[0].evidence)]
    if unread:
        lines.append(f"errors, heat and links of the cards of {_nodes(unread)}: neither agent nor DCGM exporter told")
    others = sources.not_read(kinds[name] for name in HELPFUL if name in kinds)
    lines += [names(others, len(HELPFUL))] if others else []
    return lines + [f"{_whose(group)} (not required)" for group in groups if not group[0][1].required]


def _verdict(report: Report, view: View) -> str:
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
        asked = sorted({point.number: point.id for _, point, one in _required(report) if not one.passes}.items())
        missing = names([ident for _, ident in asked], 10)
        return f"Could not tell: {len(silent):,} {of} did not show all that is required ({missing})."
    return f"Ready: {_ready(report)}"


def _ready(report: Report) -> str:
    """A node that changes is not at fault, and has not passed either."""
    pending = [node.name for node in report.nodes if any(one.passes for one in _required_of(node))]
    pools = count(len(report.pools), "pool")
    if not pending:
        return f"all {count(len(report.nodes), 'GPU node')} in {pools} pass."
    told = f"{len(report.nodes) - len(pending):,} of {count(len(report.nodes), 'GPU node')} in {pools} pass"
    return f"{told}, {_nodes(pending)} {'is' if len(pending) == 1 else 'are'} still changing."


def _required_of(node: NodeReport) -> Iterator[Outcome]:
    return (one for point, one in zip(points(), node.points, strict=True) if point.required)


def _required(report: Report) -> Iterator[Told]:
    return (one for one in report.each(State.UNKNOWN) if one[1].required)


def _first_broken(node: NodeReport) -> Point:
    """From the card upwards."""
    return next(point for point, one in zip(points(), node.points, strict=True) if one.state is State.NOT_OK)


def _parts(report: Report, missing: list[str]) -> Iterator[Part]:
    if report.nodes:
        yield _points(report)
        if len(report.pools) > 1 or len(report.nodes) > 1:
            yield _pools(report)
    broken = list(_alike(one for one in report.each(State.NOT_OK) if not one[2].follows))
    if broken:
        yield Bullets("Not OK, from the card upwards", _some([_fault(group) for group in broken], FAULTS_SHOWN))
    if missing:
        yield Bullets("Not known", _some([sentence(text) for text in missing], UNKNOWN_SHOWN))
    notes = list(_notes(report))
    if notes:
        yield Bullets("No fault, and worth knowing", _some([sentence(text) for text in notes], NOTES_SHOWN))
    if broken:
        yield paragraph(line("One node in full: ", Code(f"/gpu node {broken[0][0][0].name}")))


def _some(lines: list[Line], shown: int) -> tuple[Line, ...]:
    left = len(lines) - shown
    return (*lines[:shown], *([line(f"and {left:,} more; narrow it with pool= or node=")] if left > 0 else []))


def _points(report: Report) -> Table:
    rows = [
        (
            point.number,
            point.title,
            *(sum(node.points[place].state is state for node in report.nodes) or "–" for state in State),
        )
        for place, point in enumerate(points())
    ]
    return table(("", "point", "ok", "not ok", "unknown"), rows, numeric=(0, 2, 3, 4))


def _pools(report: Report) -> Table:
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


def _alike(told: Iterable[Told]) -> Iterator[list[Told]]:
    """Nodes with the same trouble at the same point."""
    groups: dict[tuple[str, str], list[Told]] = {}
    for one in told:
        groups.setdefault((one[1].id, one[2].reason), []).append(one)
    yield from groups.values()


def _fault(group: list[Told]) -> Line:
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
    return f"{point.id}: {_nodes([node.name for node, _, _ in group])}, such as: {told}"


def _nodes(of: list[str]) -> str:
    return of[0] if len(of) == 1 else f"{len(of):,} nodes ({names(of, NAMED)})"


def _capped(text: str) -> str:
    return text if len(text) <= SENTENCE_MAX else text[: SENTENCE_MAX - 1].replace("`", "") + "…"


def _notes(report: Report) -> Iterator[str]:
    """What passes by itself, and what stands beside points; each text once with how many nodes have it."""
    for texts in ([(node.name, (node.changing,)) for node in report.nodes if node.changing], _beside(report)):
        alike: dict[str, list[str]] = {}
        first: dict[str, str] = {}
        for name, said in texts:
            for text in said:
                kind = text.replace(name, "")
                alike.setdefault(kind, []).append(name)
                first.setdefault(kind, text)
        for kind, nodes in alike.items():
            told = _capped(first[kind])
            yield told if len(nodes) == 1 else f"{_nodes(nodes)}, such as: {told}"


def _beside(report: Report) -> list[tuple[str, tuple[str, ...]]]:
    return [(node.name, one.notes) for node in report.nodes for one in node.points if one.notes]


def _footer(report: Report, view: View, now: datetime) -> tuple[str, ...]:
    return sources.footer(view, now, NEEDED, coverage=f"{count(len(report.nodes), 'GPU node')} judged")


def _numbers(report: Report) -> dict[str, object]:
    return {
        "verdict": str(report.verdict),
        "nodes": len(report.nodes),
        **{str(verdict).replace(" ", "_"): len(report.of(verdict)) for verdict in Verdict},
        "points": {
            point.id: {str(state): sum(node.points[place].state is state for node in report.nodes) for state in State}
            for place, point in enumerate(points())
        },
    }
