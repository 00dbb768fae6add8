"""What was decided about alerts, written into the incidents of the same numbers: their states and their timelines."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from bot.alerts.evaluate import Evaluated
from bot.domain.alert import Content
from bot.domain.alert_state import Decision, Group, Kind
from bot.domain.incident import Book, Entry, Happening, Incident, IncidentState
from bot.incidents import table

KNOWN_AT_MOST = 5
TIMELINE_AT_MOST = 200
Before = Callable[[Content], tuple[str, ...]]


def follow(book: Book, done: Evaluated, now: datetime, before: Before | None = None) -> Book:
    """before: what had changed when something with that content began; asked for new incidents only."""
    writing = _Writing(book, done, now, before or (lambda content: ()))
    for decision in done.decisions:
        writing.take(decision)
    writing.settle()
    return msgspec.structs.replace(book, alerts=done.state, incidents=writing.incidents, next_incident=done.next_number)


class _Writing:
    def __init__(self, book: Book, done: Evaluated, now: datetime, before: Before) -> None:
        self.incidents: dict[int, Incident] = dict(book.incidents)
        self._cluster, self._done, self._now, self._before = book.cluster, done, now, before

    def take(self, one: Decision) -> None:
        """Write one decision down."""
        if one.kind in (Kind.OPENED, Kind.SPLIT):
            self._open(one.other or one.number, one)
        if one.number not in self.incidents:
            return
        match one.kind:
            case Kind.REOPENED:
                self._step(one.number, Happening.RETURNED, one.reason, resolved_at=None, closed_at=None)
            case Kind.RESOLVED:
                self._step(one.number, Happening.CLEARED, one.reason, resolved_at=self._now)
            case Kind.MERGED:
                self._merge(one)
            case Kind.SPLIT:
                self._step(one.number, Happening.SPLIT, f"incident {one.other}: {one.reason}")
            case Kind.JOINED | Kind.CHANGED:
                self._step(one.number, Happening.CHANGED, one.reason)

    def settle(self) -> None:
        """What groups say now, and what the clock does."""
        for number, group in self._done.state.groups.items():
            if number in self.incidents:
                self._settle(number, group)
        for number, incident in self.incidents.items():
            if incident.state is IncidentState.RESOLVED and number not in self._done.state.groups:
                self._step(number, Happening.LAPSED, "it stayed away", closed_at=self._now)

    def _open(self, number: int, one: Decision) -> None:
        group = self._done.state.groups.get(number)
        if group is None:  # merged in the same look: nobody was told of it
            return
        content = group.content
        known = [other.number for other in self.incidents.values() if _alike(other.content, content)]
        entry = Entry(at=self._now, what=Happening.OPENED, says=content.title)
        self.incidents[number] = Incident(
            number=number,
            cluster=self._cluster,
            state=IncidentState.OPEN,
            content=content,
            opened_at=self._now,
            evidence=content.evidence,
            before=self._before(content),
            known=tuple(known[-KNOWN_AT_MOST:]),
            timeline=(entry,),
        )

    def _merge(self, one: Decision) -> None:
        if one.other in self.incidents:
            self._step(one.other, Happening.MERGED, f"with incident {one.number}: {one.reason}", into=one.number)
            self._step(one.number, Happening.ABSORBED, f"incident {one.other}: {one.reason}")
            other, into = self.incidents[one.other], self.incidents[one.number]
            if other.taken_by and not into.taken_by:
                self.incidents[one.number] = msgspec.structs.replace(
                    into, taken_by=other.taken_by, workspace=other.workspace, taken_at=other.taken_at
                )

    def _settle(self, number: int, group: Group) -> None:
        incident = self.incidents[number]
        silence = group.told.silence if group.told else 0
        self.incidents[number] = msgspec.structs.replace(
            incident,
            content=group.content,
            channel=group.channel,
            mention=group.mention,
            quiet=group.quiet,
            silence=silence,
        )
        if group.open:
            self._ease(number, group)

    def _ease(self, number: int, group: Group) -> None:
        """Whether anybody lacks replicas for it still, where it sits on nodes and somebody did."""
        incident = self.incidents[number]
        lacking = tuple(one.owner for one in group.content.hits if one.ready < one.wanted)
        if set(lacking) - set(incident.hit):
            hit = tuple(dict.fromkeys((*incident.hit, *lacking)))
            incident = self.incidents[number] = msgspec.structs.replace(incident, hit=hit)
        if not group.content.nodes or not incident.hit:
            return
        if lacking and incident.state is IncidentState.MITIGATED:
            self._step(number, Happening.WORSENED, "replicas are missing again")
        elif not lacking and incident.state is not IncidentState.MITIGATED:
            self._step(number, Happening.EASED, "everything that it hit has all its replicas again")

    def _step(self, number: int, what: Happening, says: str, **changed: Any) -> None:
        """What cannot happen in its state is left out: a person was faster."""
        incident = self.incidents[number]
        if not table.can(incident.state, what):
            return
        state = table.after(incident.state, what, taken=bool(incident.taken_by), number=number)
        again = incident.reopened + (what is Happening.RETURNED)
        self.incidents[number] = noted(
            msgspec.structs.replace(incident, state=state, reopened=again, **changed), self._now, what, says
        )


def noted(incident: Incident, now: datetime, what: Happening, says: str, **who: str) -> Incident:
    """With one more line. who: as in `Entry`. Of what changes all the time, nobody needs more than so many."""
    if what is Happening.CHANGED and len(incident.timeline) >= TIMELINE_AT_MOST:
        return incident
    lines = (*incident.timeline, Entry(at=now, what=what, says=says, **who))
    return msgspec.structs.replace(incident, timeline=lines)


def _alike(one: Content, other: Content) -> bool:
    """The same cause at the same place, or of the same owner."""
    same = set(one.nodes) & set(other.nodes) or {hit.owner for hit in one.hits} & {hit.owner for hit in other.hits}
    return one.cause == other.cause and bool(same)
