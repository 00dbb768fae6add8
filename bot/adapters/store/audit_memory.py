"""The newest audit rows and the freezes in memory, where commands read them without waiting."""

from collections import deque
from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.domain.audit import AuditRow
from bot.domain.freeze import Freeze

KEPT = 400


class AuditMemory:
    """An AuditReader. What another replica wrote comes with the next refresh."""

    def __init__(self) -> None:
        self._rows: deque[AuditRow] = deque(maxlen=KEPT)
        self._freezes: tuple[Freeze, ...] = ()

    @property
    def last(self) -> int:
        """The number of the newest row here."""
        return self._rows[-1].number if self._rows else 0

    def latest(self) -> Sequence[AuditRow]:
        return tuple(self._rows)

    def frozen(self, cluster: str, now: datetime) -> tuple[Freeze, ...]:
        return tuple(one for one in self._freezes if one.holds(cluster, now))

    def add(self, rows: Iterable[AuditRow]) -> None:
        """Those that go on where it ends; after a gap, only a refresh may go on."""
        for row in rows:
            if row.number == self.last + 1:
                self._rows.append(row)

    def refresh(self, rows: Iterable[AuditRow], freezes: Iterable[Freeze]) -> None:
        """rows: the newest of the database, in their order."""
        self._rows.extend(row for row in rows if row.number > self.last)
        self._freezes = tuple(freezes)

    def froze(self, *freezes: Freeze) -> None:
        """These are new, or are otherwise now."""
        numbers = {one.number for one in freezes}
        self._freezes = (*(one for one in self._freezes if one.number not in numbers), *freezes)
