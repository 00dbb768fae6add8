"""A new listing of a kind taking the place of the old one, without a moment in which the kind looks empty."""

import asyncio

from bot.domain.record import Record
from bot.domain.view import View

_AT_ONCE = 2_000  # records; then the event loop gets its turn


class Replacement:
    """Collects records; `finish` brings the view from what it has to what was collected.

    `scope` is the namespace that was listed, or empty for all. Where the view has nothing of it yet, records are put in
    as they come: no one counts them before the kind's source says that it is known.
    """

    def __init__(self, view: View, kind: str, scope: str) -> None:
        self._view = view
        self._kind = kind
        self._prefix = f"{scope}/" if scope else ""
        self._first = not self._present()
        self._records: dict[str, Record] = {}

    @property
    def known(self) -> dict[str, Record]:
        """What the view has now, by key: records of the same version need no decoding."""
        return {} if self._first else self._view.tables[self._kind]

    def add(self, key: str, record: Record) -> None:
        if self._first:
            self._view.put(self._kind, key, record)
        else:
            self._records[key] = record

    def drop(self, key: str) -> None:
        """It went while the others were still coming."""
        if self._first:
            self._view.take(self._kind, key)
        else:
            self._records.pop(key, None)

    async def finish(self, keep: set[str]) -> None:
        """Put what is new or changed, take what is gone. Objects named in `keep` are there but could not be read."""
        if self._first:
            return
        table = self._view.tables[self._kind]
        changed = [(key, record) for key, record in self._records.items() if _differs(table.get(key), record)]
        gone = [key for key in self._present() if key not in self._records and key not in keep]
        for start in range(0, len(changed), _AT_ONCE):
            for key, record in changed[start : start + _AT_ONCE]:
                self._view.put(self._kind, key, record)
            await asyncio.sleep(0)
        for key in gone:
            self._view.take(self._kind, key)

    def _present(self) -> list[str]:
        return [key for key in self._view.tables[self._kind] if key.startswith(self._prefix)]


def _differs(old: Record | None, new: Record) -> bool:
    return old is not new and (old is None or old.version != new.version or old.uid != new.uid)
