"""One incident in full, and what came of what a person did with it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Bullets, Code, Document, Line, Part, Person, paragraph, sentence
from bot.domain.incident import Book, Deed, Incident, ManageIncident
from bot.domain.text import inert
from bot.domain.words import capped, clock, count, duration, names
from bot.incidents.report import report
from bot.views import incident_report, incident_root, incident_thread
from bot.views.shortened import shortened

TIMELINE = 14
_DEEDS = {
    Deed.TAKE: "take incident {number}",
    Deed.HAND: "hand incident {number} to somebody",
    Deed.NOTE: "add a note to incident {number}",
    Deed.MERGE: "merge incident {number} into incident {other}",
    Deed.CLOSE: "close incident {number}",
    Deed.REOPEN: "open incident {number} again",
}


def show(incident: Incident, now: datetime) -> Reply:
    content = incident.content
    head = f"Incident {incident.number}, {incident.state}, {content.severity}: {incident_root.title(content)}"
    document = shortened(
        Document((head,), tuple(_parts(incident, now)), (), tuple(incident_root.buttons(incident))), worth=()
    )
    cause = Cause(f"incident.{incident.state}", f"{head}.")
    answer = Answer(cause=cause, evidence=incident.evidence, remedies=content.remedies, numbers=plain(incident))
    return Reply(answer, document)


def preview(incident: Incident, intent: ManageIncident) -> Reply:
    """What would be done, with the intent."""
    what = _DEEDS[intent.deed].format(number=incident.number, other=intent.other)
    told = f"Would {what}: {incident_root.title(incident.content)}."
    return Reply(Answer(cause=Cause("incident.preview", told)), Document((told,)), (intent,))


def done(incident: Incident, now: datetime) -> Document:
    """The last line of its timeline is what was done."""
    line = incident_thread.line(incident, incident.timeline[-1])
    what = f"Incident {incident.number} is {incident.state}: {incident_root.title(incident.content)}"
    hint: Line = ("Everything about it: ", Code(f"/gpu incident {incident.number}"))
    return Document((what,), (paragraph(line), paragraph(hint)))


def told(book: Book, incident: Incident) -> Reply:
    """The report; its Markdown stands in the answer's numbers, for files."""
    written = report(book, incident)
    document = incident_report.document(written)
    cause = Cause("incident.report", f"Report of incident {incident.number}.")
    numbers = plain(incident) | {"markdown": incident_report.markdown(written)}
    return Reply(Answer(cause=cause, numbers=numbers), document)


def plain(incident: Incident) -> dict[str, Any]:
    return {
        "incident": incident.number,
        "state": str(incident.state),
        "severity": str(incident.content.severity),
        "cause": incident.content.cause,
        "opened_at": incident.opened_at.isoformat(),
        "taken_by": incident.taken_by,
        "into": incident.into,
        "nodes": list(incident.content.nodes),
        "owners": [one.owner for one in incident.content.hits],
    }


def _parts(incident: Incident, now: datetime) -> Iterator[Part]:
    yield paragraph(_standing(incident, now))
    hits = [(incident_root.hit(one),) for one in incident.content.hits]
    if hits:
        yield Bullets("It hits", tuple(hits))
    elif incident.content.effect:
        yield Bullets("Effect", tuple(sentence(one) for one in incident.content.effect))
    if incident.content.remedies:
        lines = [_remedy(one.action, one.command) for one in incident.content.remedies]
        yield Bullets("What helps", tuple(lines), ordered=True)
    if incident.evidence:
        yield Bullets("Seen when it began", tuple(sentence(one) for one in incident.evidence))
    if incident.before:
        yield Bullets("Changed shortly before", tuple((inert(one),) for one in incident.before))
    lines = [incident_thread.line(incident, one) for one in incident.timeline[-TIMELINE:]]
    yield Bullets("Timeline", tuple(lines))
    if incident.known:
        yield paragraph((f"Seen before: {names([f'incident {one}' for one in incident.known])}.",))


def _remedy(action: str, command: str) -> Line:
    shown: Line = (" ", Code(command)) if command and len(command) <= incident_thread.COMMAND_MAX else ()
    return (*sentence(f"{capped(action, incident_thread.LINE_MAX).rstrip('.')}."), *shown)


def _standing(incident: Incident, now: datetime) -> Line:
    began = incident_root.since(incident)
    end = incident.ended_at if incident.state.over else None
    lasted = duration(max(0.0, ((end or now) - began).total_seconds()))
    over = f", over at {clock(end, began)}" if end else ""
    again = f", came back {count(incident.reopened, 'time')}" if incident.reopened else ""
    into = f", part of incident {incident.into}" if incident.into else ""
    who: Line = (Person(incident.taken_by), " has it") if incident.taken_by else ("nobody has it",)
    return (f"since {clock(began, now)} ({lasted}){over}{again}{into}; ", *who, ".")
