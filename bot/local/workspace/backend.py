"""The parts of a workspace, in one place: what Web API methods, response URLs and people act on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.local.workspace.changes import Changes
from bot.local.workspace.directory import Directory
from bot.local.workspace.events import Events
from bot.local.workspace.faults import Faults
from bot.local.workspace.grants import Grants
from bot.local.workspace.ids import Ids
from bot.local.workspace.journal import Journal
from bot.local.workspace.modals import Modals
from bot.local.workspace.posting import Posting
from bot.local.workspace.rates import Rates
from bot.local.workspace.setup import Setup
from bot.local.workspace.sockets import Sockets
from bot.local.workspace.timeline import Timeline


@dataclass(slots=True)
class Backend:
    clock: Callable[[], float]
    directory: Directory
    timeline: Timeline
    posting: Posting
    grants: Grants
    modals: Modals
    sockets: Sockets
    events: Events
    rates: Rates
    faults: Faults
    changes: Changes
    journal: Journal
    base_url: str = ""

    @property
    def setup(self) -> Setup:
        return self.directory.setup


def build(setup: Setup, clock: Callable[[], float], *, rate_limits: bool) -> Backend:
    """All parts, wired together."""
    ids, journal, changes = Ids(clock), Journal(clock), Changes()
    directory = Directory(setup)
    sockets = Sockets(ids, journal)
    timeline = Timeline(directory, ids, changes)
    events = Events(sockets, directory, ids, clock)
    return Backend(
        clock=clock,
        directory=directory,
        timeline=timeline,
        posting=Posting(timeline, events),
        grants=Grants(ids, clock),
        modals=Modals(ids, changes),
        sockets=sockets,
        events=events,
        rates=Rates(clock, enabled=rate_limits),
        faults=Faults(sockets),
        changes=changes,
        journal=journal,
    )
