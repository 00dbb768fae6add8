"""All models that run here, as a table: who serves what, how ready, how fast, and who waits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Part, line, paragraph, sentence, table
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.domain.words import count, names
from bot.scaling.served import Served
from bot.serving.figures import Figures
from bot.views import sources
from bot.views.model_words import engine, gpus, number
from bot.views.shortened import shortened

NEEDED = ("pods", "deployments", "statefulsets")
SHOWN = 40
_COLUMNS = ("model", "what", "engine", "ready", "GPUs", "tokens/s", "running", "queue", "owner")


@dataclass(frozen=True, slots=True)
class Row:
    """One workload. `owner`: its team, empty where nobody is named."""

    served: Served
    seen: Figures
    product: str
    owner: str


def show(rows: Sequence[Row], others: Sequence[Pod], unknown: Sequence[str], view: View, now: datetime) -> Reply:
    """others: pods with an engine whose owner is not read. unknown: figures that could not be had."""
    verdict = _verdict(rows, others, view)
    parts: list[Part] = []
    if rows:
        more = f"and {len(rows) - SHOWN:,} more: ask for one namespace" if len(rows) > SHOWN else ""
        parts.append(table(_COLUMNS, [_cells(one) for one in rows[:SHOWN]], (3, 5, 6, 7), more))
    if others:
        told = names([pod.key for pod in others], 3)
        verb = "runs" if len(others) == 1 else "run"
        parts.append(paragraph(line(f"{count(len(others), 'pod')} more {verb} an engine, started by owners that are "
                                    f"not read here: {told}.")))  # fmt: skip
    if unknown:
        parts.append(Bullets("Not known (?)", tuple(sentence(one) for one in unknown[:4])))
    if rows:
        parts.append(paragraph(line("One of them in full: ", Code(f"/model status {rows[0].served.typed}"))))
    missing = [view.source(kind) for kind in NEEDED if not view.source(kind).known]
    not_read = sources.not_read(missing)
    if not_read:
        parts.append(Bullets("Could not be seen", tuple(sentence(one) for one in not_read)))
    answer = Answer(
        cause=Cause("model.list" if rows else "model.none", verdict),
        as_of=view.oldest(*NEEDED),
        unknown=(*not_read, *unknown),
        sources=tuple(sources.lines(view, now, NEEDED)),
        numbers={"models": [_plain(one) for one in rows], "others": len(others)},
        told=bool(rows) or not missing,
    )
    worth = [9, *range(len(parts) - 1, 0, -1)] if parts else []
    return Reply(answer, shortened(Document(sentence(verdict), tuple(parts), sources.footer(view, now, NEEDED)), worth))


def _verdict(rows: Sequence[Row], others: Sequence[Pod], view: View) -> str:
    if not rows:
        if not all(view.knows(kind) for kind in NEEDED):
            return "What serves models here cannot be told: not all of it could be read."
        return f"{count(len(others), 'pod')} here runs an engine." if others else "No model is served here."
    ready, wanted = sum(one.served.ready for one in rows), sum(one.served.wanted for one in rows)
    held = sum(one.served.gpus * one.served.wanted for one in rows)
    size = f"{count(len(rows), 'model')} on {count(wanted, 'replica')} ({count(held, 'GPU')}), {ready} ready"
    rates = [one.seen.tokens_per_second for one in rows if one.seen.tokens_per_second is not None]
    if not rates:
        return f"{size}; tokens per second are not known."
    all_told = all(one.seen.tokens_per_second is not None and not one.seen.partial for one in rows if one.served.ready)
    waiting = [one.seen.waiting for one in rows if one.seen.waiting is not None]
    queue = f", {count(round(sum(waiting)), 'request')} in queues" if waiting else ""
    return f"{size}; {'' if all_told else 'at least '}{number(sum(rates))} tokens/s{queue}."


def _cells(one: Row) -> tuple[str, ...]:
    served, seen, part = one.served, one.seen, one.seen.partial
    figures = (seen.tokens_per_second, seen.running, seen.waiting)
    return (
        served.model,
        served.typed,
        engine(served, seen),
        f"{served.ready}/{served.wanted}",
        gpus(served, one.product),
        *(number(value, partial=part) if served.wanted or value is not None else "–" for value in figures),
        one.owner or "–",
    )


def _plain(one: Row) -> Mapping[str, object]:
    served, seen = one.served, one.seen
    return {
        "model": served.model,
        "workload": served.typed,
        "engine": served.engine,
        "version": (*seen.versions, served.version)[0],
        "replicas": served.wanted,
        "ready": served.ready,
        "gpus_each": served.gpus,
        "product": one.product,
        "tokens_per_second": seen.tokens_per_second,
        "running": seen.running,
        "waiting": seen.waiting,
        "engines": seen.asked,
        "engines_told": seen.told,
        "owner": one.owner,
    }
