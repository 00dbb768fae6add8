"""What stands in an incident's thread: the evidence at the time, what helps, and each later change in one line."""

from collections.abc import Iterator

from bot.domain.document import Bullets, Code, Document, Line, Part, Person, Span, sentence
from bot.domain.incident import Entry, Happening, Incident
from bot.domain.text import inert
from bot.domain.words import capped, clock
from bot.views.shortened import shortened

LINE_MAX, COMMAND_MAX = 300, 420
_WORDS = {
    Happening.EASED: "Mitigated: ",
    Happening.WORSENED: "Worse again: ",
    Happening.CLEARED: "Over: ",
    Happening.RETURNED: "It is back: ",
    Happening.MERGED: "Merged: ",
    Happening.ABSORBED: "Also part of it: ",
    Happening.SPLIT: "Split off: ",
}


def evidence(incident: Incident) -> Document:
    """As it was when the incident began."""
    at = clock(incident.opened_at, incident.opened_at)
    parts = tuple(_parts(incident))
    verdict = f"Evidence at {at}" if parts else f"Nothing more was known at {at}"
    return shortened(Document((verdict,), parts))


def change(incident: Incident, entry: Entry) -> Document:
    """One thing that happened."""
    return Document(line(incident, entry))


def line(incident: Incident, entry: Entry) -> Line:
    """`10:39 UTC ana took it`. People are named and not mentioned, but for whom it is handed to."""
    by: tuple[Span, ...] = (f"{inert(entry.name)} ",) if entry.name else (Person(entry.by), " ") if entry.by else ()
    to: tuple[Span, ...] = (" ", Person(entry.given_to)) if entry.given_to else ()
    noted = "notes: " if entry.what is Happening.NOTED else ""
    says = capped(inert(entry.says, 2 * LINE_MAX), LINE_MAX)
    return (f"{clock(entry.at, incident.opened_at)} ", *by, f"{noted}{_WORDS.get(entry.what, '')}{says}", *to)


def _parts(incident: Incident) -> Iterator[Part]:
    content = incident.content
    if incident.evidence:
        yield Bullets("Seen then", tuple(_text(one) for one in incident.evidence))
    if incident.before:
        yield Bullets("Changed shortly before", tuple(_text(one) for one in incident.before))
    if content.remedies:
        yield Bullets("What helps", tuple(_remedies(incident)), ordered=True)
    if content.useless:
        yield Bullets("What does not", tuple(_text(one) for one in content.useless))
    if content.unknown:
        yield Bullets("Not known", tuple(_text(one) for one in content.unknown))


def _remedies(incident: Incident) -> Iterator[Line]:
    for one in incident.content.remedies:
        command: Line = (" ", Code(one.command)) if one.command and len(one.command) <= COMMAND_MAX else ()
        cost = f" Cost: {one.cost}." if one.cost else ""
        yield (*sentence(f"{capped(one.action, LINE_MAX).rstrip('.')}."), *command, cost)


def _text(text: str) -> Line:
    return sentence(capped(inert(text, 2 * LINE_MAX), LINE_MAX))
