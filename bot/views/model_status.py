"""One model in full: replicas by phase, what its engines say, its incidents, where its set-up differs from advice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.command import Reply
from bot.deploying.compared import Compared
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Line, Part, line, paragraph, sentence
from bot.domain.incident import Book, Incident
from bot.domain.text import inert
from bot.domain.view import View
from bot.domain.words import capped, clock, count
from bot.scaling.served import Served
from bot.serving.advice.advice import Remark
from bot.serving.figures import Figures
from bot.views import model_metrics, model_replicas, sources
from bot.views.incident_root import since, title
from bot.views.model_list import NEEDED
from bot.views.model_replicas import Standing
from bot.views.model_words import engine, number
from bot.views.shortened import shortened

INCIDENT_DAYS, INCIDENTS, REMARKS = 7, 4, 10


@dataclass(frozen=True, slots=True)
class Told:
    """All that was found out. book: None where nothing is watched."""

    served: Served
    seen: Figures
    product: str
    owner: str
    standings: Sequence[Standing]
    compared: Compared
    unknown: Sequence[str] = field(default_factory=tuple)
    book: Book | None = None


def show(told: Told, view: View, now: datetime) -> Reply:
    verdict = _verdict(told)
    incidents = _incidents(told, now)
    unknown = (*told.unknown, *told.compared.unknown, *_unwatched(told))
    worth_of: list[tuple[Part, int]] = []
    if told.standings:
        worth_of.append((model_replicas.listed(told.standings, now), 8))
    if lacking := tuple(model_replicas.missing(told.served)):
        worth_of.append((Bullets("", tuple(sentence(one) for one in lacking)), 9))
    if told.seen.known:
        worth_of.append((model_metrics.listed(told.seen), 7))
    if incidents:
        worth_of.append((Bullets("Incidents of the last days", tuple(_incident(one, now) for one in incidents)), 5))
    if told.compared.remarks:
        lines = tuple(_remark(one) for one in told.compared.remarks[:REMARKS])
        worth_of.append((Bullets("Differs from the catalogue's advice", lines), 6))
    elif told.compared.model is not None and not told.compared.unknown:
        agrees = f"Set up as the catalogue advises for {told.compared.model.title}."
        worth_of.append((paragraph(line(agrees)), 2))
    if unknown:
        worth_of.append((Bullets("Not known", tuple(sentence(one) for one in unknown)), 4))
    if told.standings:
        worth_of.append((_further(told), 1))
    document = Document(
        sentence(verdict),
        tuple(part for part, _ in worth_of),
        sources.footer(view, now, NEEDED),
    )
    return Reply(_answer(told, verdict, unknown, view, now), shortened(document, [worth for _, worth in worth_of]))


def _verdict(told: Told) -> str:
    one, seen = told.served, told.seen
    cards = f", {one.gpus} {told.product or 'GPU'} each" if one.gpus else ""
    whose = f" of {told.owner}" if told.owner else ""
    phases = model_replicas.by_phase(told.standings)
    others = f" (pods: {phases})" if any(each.phase != "ready" for each in told.standings) else ""
    state = f"{one.ready} of {count(one.wanted, 'replica')} ready{others}"
    head = f"{one.model} ({one.typed}{whose}): {state} on {engine(one, seen)}{cards}"
    if not one.wanted:
        return f"{one.model} ({one.typed}{whose}) is stopped: it has no replicas."
    figures = []
    if seen.tokens_per_second is not None:
        figures.append(f"{number(seen.tokens_per_second, partial=seen.partial)} tokens/s")
    if seen.waiting is not None:
        figures.append(f"{count(round(seen.waiting), 'request')} in the queue")
    return f"{head}; {', '.join(figures)}." if figures else f"{head}."


def _incidents(told: Told, now: datetime) -> list[Incident]:
    """Those that are about it, the newest first."""
    if told.book is None:
        return []
    key, oldest = told.served.thing.key, now - timedelta(days=INCIDENT_DAYS)
    found = [
        one
        for one in told.book.incidents.values()
        if (key in one.hit or any(hit.owner == key for hit in one.content.hits))
        and (not one.state.over or (one.ended_at or one.opened_at) >= oldest)
    ]
    return sorted(found, key=lambda one: one.number, reverse=True)[:INCIDENTS]


def _incident(one: Incident, now: datetime) -> Line:
    head = f"{one.number}: {one.state}, since {clock(since(one), now)}: "
    return (head, capped(title(one.content), 140))


def _remark(one: Remark) -> Line:
    return line(f"{one.what}: {one.now}; advised: {one.advised}, since {one.because}")


def _unwatched(told: Told) -> Iterator[str]:
    if told.book is None:
        yield "incidents: nothing is watched from here"
    elif told.book.trouble:
        yield f"whether incidents are up to date: {inert(told.book.trouble)}"


def _further(told: Told) -> Part:
    typed = told.served.typed
    if any(one.phase in ("waiting", "failing") for one in told.standings):
        return paragraph(line("Why: ", Code(f"/why {typed}"), "; what it last said: ", Code(f"/model logs {typed}")))
    return paragraph(line("What it last said: ", Code(f"/model logs {typed}")))


def _answer(told: Told, verdict: str, unknown: Sequence[str], view: View, now: datetime) -> Answer:
    one, seen = told.served, told.seen
    state = "stopped" if not one.wanted else "well" if one.ready >= one.wanted else "lacking"
    return Answer(
        cause=Cause(f"model.{state}", verdict),
        as_of=view.oldest(*NEEDED),
        evidence=tuple(f"{each.pod.key}: {each.told}" for each in told.standings),
        unknown=tuple(unknown),
        sources=tuple(sources.lines(view, now, NEEDED)),
        numbers={
            "ready": one.ready,
            "replicas": one.wanted,
            "gpus_each": one.gpus,
            "tokens_per_second": seen.tokens_per_second,
            "running": seen.running,
            "waiting": seen.waiting,
            "kv_cache_usage": seen.kv_cache_usage,
            "engines": seen.asked,
            "engines_told": seen.told,
            "differs": [
                {"what": each.what, "now": each.now, "advised": each.advised, "grave": each.grave}
                for each in told.compared.remarks
            ],
            "incidents": [each.number for each in _incidents(told, now)],
        },
    )
