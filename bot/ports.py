"""What the core needs from the world, as Protocols. Adapters fulfil them; tests bring fakes."""

from datetime import datetime
from typing import Protocol

from bot.domain.evidence import Evidence, Wanted
from bot.domain.history import History
from bot.domain.view import View


class ClusterReader(Protocol):
    """One cluster, ready to be read without awaiting."""

    @property
    def name(self) -> str: ...

    @property
    def view(self) -> View: ...


class Clock(Protocol):
    """Says what time it is. The core is handed the answer, never the clock."""

    def __call__(self) -> datetime: ...


class Looker(Protocol):
    """Looks things up for one question. What cannot be had is named in the evidence, never raised."""

    async def look(self, wanted: Wanted, timeout_seconds: float) -> Evidence: ...


class HistoryReader(Protocol):
    """What is remembered of a cluster's pods, as it is in memory now: nobody waits for a database."""

    def history(self, cluster: str) -> History: ...
