"""How well each kind is known right now, from what its feeds report: one for all namespaces, or one for each."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from bot.domain.source import Reading, Source
from bot.domain.view import View

_WORST_FIRST = (
    Reading.SILENT,
    Reading.FORBIDDEN,
    Reading.STALE,
    Reading.UNREAD,
    Reading.READ,
    Reading.ABSENT,
    Reading.LIVE,
)
SETTLED = frozenset({Reading.LIVE, Reading.READ, Reading.FORBIDDEN, Reading.ABSENT})


class Board:
    """Keeps `view.sources`. A report with `heard` moves the time of the last word from the API server."""

    def __init__(self, view: View, now: Callable[[], datetime]) -> None:
        self._view = view
        self._now = now
        self._reports: dict[str, dict[str, Source]] = {}
        self._settled = asyncio.Event()

    def expect(self, kind: str, scopes: tuple[str, ...] = ("",)) -> None:
        """Reading of that kind starts, in all namespaces ("") or in those named."""
        waiting = Source(kind, Reading.SILENT, None, "still being read")
        self._reports[kind] = dict.fromkeys(scopes, waiting)
        self._show(kind)

    def report(self, kind: str, scope: str, reading: Reading, detail: str = "", *, heard: bool = False) -> None:
        """How one feed stands from now on."""
        last = self._reports[kind][scope]
        heard_at = self._now() if heard else last.heard_at
        self._reports[kind][scope] = Source(kind, reading, heard_at, detail)
        self._show(kind)

    async def until_settled(self) -> None:
        """Until every kind that is expected has its first answer, good or bad."""
        await self._settled.wait()

    def _show(self, kind: str) -> None:
        scopes = self._reports[kind]
        if "" in scopes:
            self._view.sources[kind] = scopes[""]
        else:
            self._view.sources[kind] = _together(kind, scopes)
        if not self._settled.is_set() and all(source.reading in SETTLED for source in self._view.sources.values()):
            self._settled.set()


def _together(kind: str, scopes: dict[str, Source]) -> Source:
    worst = min(scopes.values(), key=lambda source: _WORST_FIRST.index(source.reading))
    heard = [source.heard_at for source in scopes.values()]
    told = [f"{scope}: {source.detail}" for scope, source in scopes.items() if source.detail]
    return Source(
        kind,
        worst.reading,
        None if None in heard else min(time for time in heard if time is not None),
        "; ".join([f"only namespaces {', '.join(scopes)}", *told]),
    )
