"""How the checklist looks: the verdict, pools with counts, the ten points with counts, and by name only what is not OK.

Nodes with the same trouble stand in one line, so that eight hundred nodes fit one screen as eight do.
"""

from collections.abc import Iterator
from datetime import datetime

from bot.checks.preflight.point import State
from bot.checks.preflight.report import Report, Verdict, points
from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Part, line, paragraph, sentence
from bot.domain.text import inert
from bot.domain.view import View
from bot.domain.words import count
from bot.views import gpu_preflight_lists as lists
from bot.views import gpu_preflight_tables as tables
from bot.views import gpu_preflight_verdict, sources
from bot.views.gpu_preflight_lists import HELPFUL, NEEDED
from bot.views.shortened import shortened

__all__ = ("HELPFUL", "NEEDED", "show")

FAULTS_SHOWN, UNKNOWN_SHOWN, NOTES_SHOWN = 10, 5, 5
_IDS = {
    Verdict.READY: "preflight.ready",
    Verdict.NOT_READY: "preflight.not_ready",
    Verdict.UNKNOWN: "preflight.unknown",
}


def show(report: Report, view: View, now: datetime) -> Reply:
    """Raises nothing: every state of the data has words."""
    verdict = gpu_preflight_verdict.verdict(report, view)
    missing = lists.unknown(report, view)
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


def _parts(report: Report, missing: list[str]) -> Iterator[Part]:
    if report.nodes:
        yield tables.by_point(report)
        if len(report.pools) > 1 or len(report.nodes) > 1:
            yield tables.by_pool(report)
    broken = list(lists.alike(one for one in report.each(State.NOT_OK) if not one[2].follows))
    if broken:
        yield Bullets(
            "Not OK, from the card upwards", lists.some([lists.fault(group) for group in broken], FAULTS_SHOWN)
        )
    if missing:
        yield Bullets("Not known", lists.some([sentence(text) for text in missing], UNKNOWN_SHOWN))
    notes = list(lists.notes(report))
    if notes:
        yield Bullets("No fault, and worth knowing", lists.some([sentence(text) for text in notes], NOTES_SHOWN))
    if broken:
        yield paragraph(line("One node in full: ", Code(f"/gpu node {broken[0][0][0].name}")))


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
