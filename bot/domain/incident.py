"""Incidents: what went wrong, who has it, how it goes, from the first sign to the end. Plain data that never changes.

An incident has the number of the group of alerts behind it. A `Book` is all that is remembered of one cluster.
"""

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec

from bot.domain.alert import Content
from bot.domain.alert_state import AlertState
from bot.domain.intent import Intent
from bot.domain.silence import Matcher, Silence


class IncidentState(enum.StrEnum):
    """Where an incident stands (bot.incidents.table has the ways between them)."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"  # somebody has it
    MITIGATED = "mitigated"  # nobody is hit any more, and its cause is still there
    RESOLVED = "resolved"  # nothing of it fires; it may come back
    CLOSED = "closed"
    MERGED = "merged"  # it is a part of another one

    @property
    def over(self) -> bool:
        return self in (IncidentState.RESOLVED, IncidentState.CLOSED, IncidentState.MERGED)


class Happening(enum.StrEnum):
    """What happens to an incident: by itself, by the clock, or by a person."""

    OPENED = "opened"
    CHANGED = "changed"
    EASED = "eased"  # nobody is hit any more
    WORSENED = "worsened"  # somebody is again
    CLEARED = "cleared"  # nothing of it fires any more
    RETURNED = "returned"  # it fires again
    LAPSED = "lapsed"  # it stayed away
    TAKEN = "taken"
    HANDED = "handed"
    NOTED = "noted"
    SILENCED = "silenced"
    MERGED = "merged"
    ABSORBED = "absorbed"  # another one became a part of it
    SPLIT = "split"  # a part of it became one of its own
    CLOSED = "closed"
    REOPENED = "reopened"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a timeline. by, given_to: Slack's ids of people; empty: gpubot, nobody. name: how `by` is called."""

    at: datetime
    what: Happening
    says: str
    by: str = ""
    name: str = ""
    given_to: str = ""


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """One of them. evidence and before: what was seen when it began, and what had changed by then.

    into: the number it was merged into. hit: owners that lacked replicas for it at any time. known: numbers of
    incidents with the same cause before it.
    """

    number: int
    cluster: str
    state: IncidentState
    content: Content
    opened_at: datetime
    taken_by: str = ""
    workspace: str = ""
    taken_at: datetime | None = None
    resolved_at: datetime | None = None
    closed_at: datetime | None = None
    into: int = 0
    reopened: int = 0
    evidence: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    known: tuple[int, ...] = ()
    hit: tuple[str, ...] = ()
    channel: str = ""
    mention: str = ""
    quiet: str = ""
    silence: int = 0
    timeline: tuple[Entry, ...] = ()

    @property
    def ended_at(self) -> datetime | None:
        return self.resolved_at or self.closed_at


class Book(msgspec.Struct, frozen=True, kw_only=True):
    """All that is remembered of one cluster: its alerts, incidents and silences by number, and the next numbers.

    trouble: empty, or why what is decided now cannot be kept, so that nothing is decided.
    """

    cluster: str
    alerts: AlertState = AlertState()
    incidents: Mapping[int, Incident] = {}
    silences: Mapping[int, Silence] = {}
    next_incident: int = 1
    next_silence: int = 1
    trouble: str = ""

    def standing_silences(self, now: datetime) -> tuple[Silence, ...]:
        return tuple(one for one in self.silences.values() if one.holds(now))

    def alive(self) -> Iterator[Incident]:
        """Those that are not over, the oldest first."""
        return (one for _, one in sorted(self.incidents.items()) if not one.state.over)


class Deed(enum.StrEnum):
    """What a person does with an incident."""

    TAKE = "take"
    HAND = "hand"
    NOTE = "note"
    MERGE = "merge"
    CLOSE = "close"
    REOPEN = "reopen"


@dataclass(frozen=True, slots=True)
class ManageIncident(Intent):
    """person: to whom it is handed. other: the incident that it is merged into. text: a note, or why."""

    number: int
    deed: Deed
    text: str = ""
    person: str = ""
    other: int = 0


@dataclass(frozen=True, slots=True)
class SetSilence(Intent):
    """Silence what fits all matchers until then, for that reason."""

    matchers: tuple[Matcher, ...]
    until: datetime
    because: str


@dataclass(frozen=True, slots=True)
class EndSilence(Intent):
    number: int


@dataclass(frozen=True, slots=True)
class TryRoute(Intent):
    """Post one message to the channel of that route, which says that it is a test."""

    route: str


@dataclass(frozen=True, slots=True)
class SweepNow(Intent):
    """Look at the whole cluster, and tell what was found."""
