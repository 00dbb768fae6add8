"""The list of incidents: those that last, the worst first, and the last that are over."""

from datetime import datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Line, Part, Person, paragraph
from bot.domain.incident import Book, Incident, IncidentState
from bot.domain.text import inert
from bot.domain.words import capped, clock, count, duration
from bot.views.incident_root import since, title
from bot.views.incident_show import plain
from bot.views.shortened import shortened

ALIVE, OVER, LINE_MAX = 20, 5, 150
NOT_HERE = "Incidents are kept where the bot runs, and shown in Slack: here nothing is watched."


def not_here() -> Reply:
    """Of a terminal: nothing is kept here."""
    parts = (paragraph(("What is broken now: ", Code("gpubot sweep"))),)
    return Reply(Answer(cause=Cause("incident.none-here", NOT_HERE), told=False), Document((NOT_HERE,), parts))


def show(book: Book, now: datetime) -> Reply:
    alive = sorted(book.alive(), key=lambda one: (one.content.severity.rank, one.number))
    over = sorted((one for one in book.incidents.values() if _is_over(one)), key=_ended, reverse=True)
    verdict = _verdict(book, alive)
    parts: list[Part] = []
    if alive:
        parts.append(Bullets("", tuple(_line(one, now) for one in alive[:ALIVE])))
    if len(alive) > ALIVE:
        parts.append(paragraph((f"and {len(alive) - ALIVE:,} more",)))
    if over:
        parts.append(Bullets("Over", tuple(_line(one, now) for one in over[:OVER])))
    if book.trouble:
        parts.append(paragraph((f"Nothing new is decided now: {inert(book.trouble)}.",)))
    cause = Cause("incident.some" if alive else "incident.none", verdict)
    numbers = {"incidents": [plain(one) for one in alive], "over": [plain(one) for one in over[:OVER]]}
    answer = Answer(cause=cause, numbers=numbers, told=not book.trouble)
    return Reply(answer, shortened(Document((verdict,), tuple(parts))))


def _verdict(book: Book, alive: list[Incident]) -> str:
    if not alive:
        return f"No incident of {inert(book.cluster)} lasts."
    free = sum(1 for one in alive if not one.taken_by)
    nobody = f"; nobody has {'it' if len(alive) == 1 else f'{free:,} of them'}" if free else ""
    return f"{count(len(alive), 'incident')} of {inert(book.cluster)} {'lasts' if len(alive) == 1 else 'last'}{nobody}."


def _line(one: Incident, now: datetime) -> Line:
    began = since(one)
    end = one.ended_at if one.state.over else None
    lasted = duration(max(0.0, ((end or now) - began).total_seconds()))
    who: Line = (" · ", Person(one.taken_by)) if one.taken_by else ()
    silent = f" · silence {one.silence}" if one.silence and not one.state.over else ""
    state = "" if one.state is IncidentState.OPEN else f"{one.state}, "
    head = f"{one.number}: {state}{one.content.severity}, since {clock(began, now)} ({lasted}): "
    return (head, capped(title(one.content), LINE_MAX), silent, *who)


def _is_over(one: Incident) -> bool:
    return one.state in (IncidentState.RESOLVED, IncidentState.CLOSED)


def _ended(one: Incident) -> datetime:
    return one.ended_at or one.opened_at
