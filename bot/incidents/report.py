"""A draft of a post-mortem from an incident's timeline: times, durations, causes, what was done and by whom.

It says what is known and asks for the rest: why it could happen is for people to write.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.domain.incident import Book, Entry, Happening, Incident

_BY_PEOPLE = frozenset({Happening.TAKEN, Happening.HANDED, Happening.NOTED, Happening.CLOSED, Happening.REOPENED})


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds from the first sign; None where it did not happen."""

    seen: float
    taken: float | None
    mitigated: float | None
    ended: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a draft says. parts: incidents that were merged into this one."""

    incident: Incident
    times: Times
    parts: tuple[Incident, ...]
    people: tuple[str, ...]
    deeds: tuple[Entry, ...]


def report(book: Book, incident: Incident) -> Report:
    parts = tuple(one for _, one in sorted(book.incidents.items()) if one.into == incident.number)
    lines = sorted((line for one in (incident, *parts) for line in one.timeline if line.by), key=lambda line: line.at)
    names = dict.fromkeys(line.name or line.by for line in lines)
    deeds = tuple(line for line in lines if line.what in _BY_PEOPLE)
    return Report(incident, times(incident), parts, tuple(names), deeds)


def times(incident: Incident) -> Times:
    """From the first sign, which may be older than the first look."""
    began = min(incident.content.since or incident.opened_at, incident.opened_at)

    def after(at: datetime | None) -> float | None:
        return None if at is None else max(0.0, (at - began).total_seconds())

    return Times(
        seen=after(incident.opened_at) or 0.0,
        taken=after(incident.taken_at),
        mitigated=after(next(_when(incident, Happening.EASED), None)),
        ended=after(incident.ended_at),
    )


def _when(incident: Incident, what: Happening) -> Iterator[datetime]:
    return (line.at for line in incident.timeline if line.what is what)
