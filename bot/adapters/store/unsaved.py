"""What the database does not have yet: the newest state of each pod that changed, never more than so many pods."""

from collections.abc import Iterable

import msgspec

from bot.domain.history import Change

PODS_AT_MOST = 20_000
Key = tuple[str, str]  # cluster, uid


class Unsaved:
    """Changes of one pod are one change, so a database that is away for hours costs no more than its pods."""

    def __init__(self, at_most: int = PODS_AT_MOST) -> None:
        self._at_most = at_most
        self._changes: dict[Key, Change] = {}
        self.lost = 0  # pods of which changes were lost

    def __len__(self) -> int:
        return len(self._changes)

    def add(self, cluster: str, changes: Iterable[Change]) -> None:
        """Newer changes. Where there is no room, the pods that changed longest ago lose theirs."""
        for change in changes:
            key = (cluster, change.wait.uid)
            before = self._changes.pop(key, None)
            self._changes[key] = change if before is None else _together(before, change)
        self._make_room()

    def take(self) -> dict[Key, Change]:
        """All of them; nothing is left."""
        taken, self._changes = self._changes, {}
        return taken

    def give_back(self, taken: dict[Key, Change]) -> None:
        """Those could not be written; what has changed since is newer."""
        newer, self._changes = self._changes, taken
        for (cluster, _), change in newer.items():
            self.add(cluster, (change,))
        self._make_room()

    def of(self, cluster: str) -> list[Change]:
        return [change for (where, _), change in self._changes.items() if where == cluster]

    def replace(self, cluster: str, changes: Iterable[Change]) -> None:
        """The same pods' changes, put differently."""
        self._changes.update({(cluster, change.wait.uid): change for change in changes})

    def _make_room(self) -> None:
        while len(self._changes) > self._at_most:
            del self._changes[next(iter(self._changes))]
            self.lost += 1


def _together(before: Change, after: Change) -> Change:
    return msgspec.structs.replace(after, first=min(before.first, after.first))
