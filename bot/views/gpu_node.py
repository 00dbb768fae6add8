"""How `/gpu node` looks: what is wrong, what helps, then bottom up to the GPUs and who uses them, in one message."""

from collections.abc import Iterator
from enum import IntEnum

from bot.checks.preflight.kept import Kept
from bot.checks.scene import Scene
from bot.command import Reply
from bot.domain.answer import Answer, Cause, HolderLine
from bot.domain.document import Bullets, Document, Line, Part, line, sentence
from bot.domain.text import inert
from bot.domain.words import count
from bot.views import gpu_driver, sources
from bot.views import gpu_node_findings as findings
from bot.views import gpu_node_gpus as gpus
from bot.views import gpu_node_stack as stack
from bot.views import gpu_node_unseen as unseen
from bot.views.gpu_node_cards import Card, cards, holdings, numbers
from bot.views.gpu_node_findings import Judged
from bot.views.shortened import shortened

NEEDED = ("nodes", "pods")
HELPFUL = ("daemonsets", "events", "runtimeclasses", "clusterpolicies", "resourceslices", "resourceclaims")
EVENTS_SHOWN, EVENT_MAX = 3, 130


class Worth(IntEnum):
    """What is kept longest where not all fits."""

    EVENTS = 1
    ALSO = 2
    STACK = 3
    EVIDENCE = 4
    UNSEEN = 5
    GPUS = 6
    HELPS = 7


def show(scene: Scene, found: Judged, kept: Kept | None = None) -> Reply:
    """Raises nothing: every state of the data has words. kept: the checklist, where it was run by itself."""
    told = cards(scene, found.firing)
    ident, verdict = findings.verdict(scene, found)
    missing = unseen.lines(scene, found, (*NEEDED, *HELPFUL))
    ranked = list(_parts(scene, found, told, missing))
    document = Document(sentence(verdict), tuple(part for _, part in ranked), (*_footer(scene), *_checklist(kept)))
    return Reply(
        _answer(scene, found, told, Cause(ident, inert(verdict.replace("`", ""), 1000)), missing),
        shortened(document, [worth for worth, _ in ranked]),
    )


def _parts(scene: Scene, found: Judged, told: tuple[Card, ...], missing: list[str]) -> Iterator[tuple[Worth, Part]]:
    if evidence := findings.shows(found):
        yield Worth.EVIDENCE, evidence
    if helps := findings.helps(found):
        yield Worth.HELPS, helps
    if also := findings.also(found):
        yield Worth.ALSO, also
    yield Worth.STACK, Bullets("Bottom up", stack.lines(scene, scene.now))
    if of_gpus := gpus.part(scene, told):
        yield Worth.GPUS, of_gpus
    if events := tuple(_events(scene)):
        yield Worth.EVENTS, Bullets("Its last events", events)
    if missing:
        yield Worth.UNSEEN, Bullets("Could not be seen", tuple(line(text) for text in missing))


def _events(scene: Scene) -> Iterator[Line]:
    """Warnings before the others, then by time."""
    newest = sorted(scene.sight.events, key=lambda one: one.kind != "Warning")[:EVENTS_SHOWN]
    for one in newest:
        times = f", {one.count}×" if one.count > 1 else ""
        yield line(
            f"{scene.sight.ago(one.time) or 'at a time not told'}{times}: {one.reason}: {inert(one.message, EVENT_MAX)}"
        )


def _checklist(kept: Kept | None) -> Iterator[str]:
    if kept is not None:
        yield f"checklist at {kept.at:%d %b %H:%M} UTC, since it {kept.due.why}: {kept.report.verdict}"


def _footer(scene: Scene) -> tuple[str, ...]:
    return sources.footer(scene.view, scene.now, NEEDED, coverage=f"{count(len(scene.pods), 'pod')} on it")


def _answer(scene: Scene, found: Judged, told: tuple[Card, ...], cause: Cause, missing: list[str]) -> Answer:
    first = findings.main(found)
    source = gpus.source(scene)
    return Answer(
        cause=cause,
        as_of=scene.view.oldest(*NEEDED),
        evidence=findings.evidence(found),
        holders=tuple(_holders(scene)),
        remedies=first.remedies if first else (),
        unknown=tuple(missing),
        sources=tuple(sources.lines(scene.view, scene.now, (*NEEDED, *HELPFUL))),
        numbers={
            "node": scene.name,
            "offered": scene.sight.offered,
            "used": sum(row.requested for row in scene.sight.gpus.rows) if scene.sight.gpus else 0,
            "pods": len(scene.pods),
            "driver": scene.driver_version,
            "images": gpu_driver.builds(scene.driver_version, stack.product(scene)),
            "read_by": str(source.source) if source else None,
            "findings": [one.check for one in found.firing],
            "gpus": [numbers(card) for card in told],
        },
        told=scene.view.knows("nodes") and scene.view.knows("pods"),
    )


def _holders(scene: Scene) -> Iterator[HolderLine]:
    for key, ours in sorted(holdings(scene).items()):
        amounts: dict[str, int] = {}
        for one in ours:
            amounts[one.kind.title] = amounts.get(one.kind.title, 0) + one.amount
        yield HolderLine(key, amounts)
