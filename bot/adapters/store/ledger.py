"""The histories in memory, and which of it the database does not have yet. Nothing here waits for anything."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from bot.adapters.store.unsaved import Unsaved
from bot.domain.history import Change, History, Observation
from bot.scheduling.history.changes import aged, applied, changes, joined


class Ledger:
    """All clusters' histories. `trouble` is empty, or why nothing of it is kept."""

    def __init__(self, clusters: Iterable[str], unsaved: Unsaved | None = None) -> None:
        self.unsaved = unsaved or Unsaved()
        self.trouble = ""
        self._histories = {cluster: History(cluster=cluster) for cluster in clusters}

    @property
    def clusters(self) -> tuple[str, ...]:
        return tuple(self._histories)

    def history(self, cluster: str) -> History:
        return self._histories.get(cluster) or History(cluster=cluster, trouble=self.trouble)

    def observe(self, cluster: str, observations: Iterable[Observation], now: datetime) -> tuple[Change, ...]:
        """Remember what a sweep saw; what it changed."""
        history = self.history(cluster)
        changed = changes(history, observations, now)
        self._histories[cluster] = applied(history, changed, now)
        self.unsaved.add(cluster, changed)
        return changed

    def loaded(self, stored: History, now: datetime) -> None:
        """That is in the database; what is not there yet continues it."""
        changed = joined(stored, self.unsaved.of(stored.cluster))
        self.unsaved.replace(stored.cluster, changed)
        history = applied(stored, changed, now)
        self._histories[stored.cluster] = msgspec.structs.replace(history, trouble=self.trouble)

    def age(self, now: datetime) -> None:
        """Forget runs that say nothing any more."""
        self._histories = {cluster: aged(history, now) for cluster, history in self._histories.items()}

    def say(self, trouble: str) -> None:
        """Every history says that from now on."""
        if trouble != self.trouble:
            self.trouble = trouble
            self._histories = {
                cluster: msgspec.structs.replace(history, trouble=trouble)
                for cluster, history in self._histories.items()
            }
