"""One watch of one kind: its lines applied to the view as they come.

Events: ADDED, MODIFIED, DELETED carry an object; BOOKMARK only a newer version; ERROR a Status
(kubernetes/apimachinery:pkg/watch). With WatchList (KEP-3157) the watch begins with what a list would have told, up to
a bookmark that says so.
"""

import msgspec

from bot.adapters.cluster.decoding import INITIAL_EVENTS_END, BareEvent, bare_event, bare_key
from bot.adapters.cluster.errors import RefusedError
from bot.adapters.cluster.kind import AnyKind
from bot.adapters.cluster.lines import Lines
from bot.adapters.cluster.replacement import Replacement
from bot.adapters.cluster.shared import Shared
from bot.domain.record import Record
from bot.domain.view import View


class NotAWatchListError(Exception):
    """The server sends changes where what is there should have come first."""


class Watch:
    """`version` is how far it has come: where the next watch starts, empty while a WatchList is not through.

    `odd` maps the keys of objects that could not be read to why; it is the feed's and outlives the watch.
    """

    def __init__(
        self, kind: AnyKind, scope: str, view: View, shared: Shared, odd: dict[str, str], version: str
    ) -> None:
        self.version = version
        self.heard = 0  # lines so far
        self._kind = kind
        self._view = view
        self._shared = shared
        self._odd = odd
        self._lines = Lines()
        self._initial = None if version else Replacement(view, kind.name, scope)

    @property
    def is_listing(self) -> bool:
        """Whether it is still telling what a list would have told."""
        return self._initial is not None

    @property
    def cut_short(self) -> bool:
        return self._lines.unfinished

    def params(self, timeout_seconds: int) -> dict[str, str]:
        """The query of its request."""
        common = {"watch": "true", "allowWatchBookmarks": "true", "timeoutSeconds": str(timeout_seconds)}
        if self._initial is None:
            return {**common, "resourceVersion": self.version}
        return {**common, "sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}

    async def take(self, chunk: bytes) -> int:
        """Apply the events that the chunk completes; how many lines that were. Raises RefusedError for ERROR."""
        lines = self._lines.feed(chunk)
        decode, record_of, shared = self._kind.event_decoder.decode, self._kind.record, self._shared
        for line in lines:
            try:
                event = decode(line)
                key, record = record_of(event.object, shared)
            except (msgspec.ValidationError, ValueError) as error:
                await self._unusual(line, error)
            else:
                self._apply(event.type, key, record)
        self.heard += len(lines)
        return len(lines)

    def _apply(self, event: str, key: str, record: Record) -> None:
        if self._odd:
            self._odd.pop(key, None)
        if event == "DELETED":
            self._take(key)
        elif self._initial is not None:
            self._initial.add(key, record)
        else:
            self._view.put(self._kind.name, key, record)
        if self._initial is None:
            self.version = record.version

    def _take(self, key: str) -> None:
        if self._initial is not None:
            self._initial.drop(key)
        else:
            self._view.take(self._kind.name, key)

    async def _unusual(self, line: bytes, error: Exception) -> None:
        """A bookmark, an error, or an object that is not what it should be: its last good record is kept."""
        event = bare_event.decode(line)
        if event.type == "ERROR":
            status = event.object
            raise RefusedError(status.code, status.reason or "", status.message or "")
        if event.type == "BOOKMARK":
            await self._bookmark(event)
            return
        key = bare_key(event.object.metadata)
        if event.type == "DELETED":
            self._odd.pop(key, None)
            self._take(key)
        else:
            self._odd[key] = str(error)
        if self._initial is None:
            self.version = event.object.metadata.resource_version or self.version

    async def _bookmark(self, event: BareEvent) -> None:
        meta = event.object.metadata
        if self._initial is not None:
            if (meta.annotations or {}).get(INITIAL_EVENTS_END) != "true":
                raise NotAWatchListError
            await self._initial.finish(keep=set(self._odd))
            self._initial = None
        self.version = meta.resource_version or self.version
