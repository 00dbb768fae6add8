"""One kind of one cluster, in all namespaces or one, kept current in the view for as long as the process lives.

List, then watch from the list's version, for ever. What can go wrong and what is done about it:

    the version is too old (410)     list anew; the old records stay until the new list is complete
    the connection breaks, silence   told as STALE; tried again after a growing, random wait, from the last version
    forbidden (403)                  told with the permission that lacks, asked again every minute
    not known to the server (404)    the kind's older versions, then told as ABSENT, asked again every minute
    not accepted (401)               the connection has renewed the credentials once already; told, tried again
"""

import asyncio
import logging

from bot.adapters.cluster.decoding import summary
from bot.adapters.cluster.errors import TROUBLE, RefusedError, explain
from bot.adapters.cluster.kind import AnyKind
from bot.adapters.cluster.listing import list_into
from bot.adapters.cluster.replacement import Replacement
from bot.adapters.cluster.target import Target
from bot.adapters.cluster.watch import NotAWatchListError, Watch
from bot.domain.errors import ConfigError
from bot.domain.source import Reading

_log = logging.getLogger(__name__)
_NO_WATCH_LIST = (400, 403, 404, 405, 422)
_LONGEST_RETRY_AFTER = 60.0
_SHORT_WATCH_SECONDS = 1.0


class Feed:
    """`run` never returns, except where `narrower` feeds are to take over and the first list is forbidden."""

    def __init__(
        self, kind: AnyKind, scope: str, target: Target, *, watch_list: bool = False, narrower: bool = False
    ) -> None:
        self._kind = kind
        self._scope = scope
        self._target = target
        self._watch_list = watch_list
        self._narrower = narrower
        self._path = kind.path(kind.versions[0], scope)
        self._version = ""  # where the next watch starts; empty: list first
        self._listed = False
        self._unwatchable = ""  # why it may be listed but not watched, if so
        self._odd: dict[str, str] = {}
        self._backoff = target.pace.backoff()

    async def run(self) -> None:
        while True:
            try:
                wait = await self._round()
            except RefusedError as error:
                if error.status == 403 and self._narrower and not self._listed:
                    return
                wait = await self._refused(error)
            except (ConfigError, *TROUBLE) as error:
                wait = self._lost(error)
            except Exception as error:  # noqa: BLE001  # a bug must not leave a kind unwatched without a word
                _log.exception("reading %s stopped short", self._kind.name)
                wait = self._lost(error)
            if wait:
                await self._target.pace.sleep(wait)

    async def _round(self) -> float:
        """List if need be, then one watch to its end. Seconds to wait before the next round."""
        if not self._version and not self._watch_list:
            self._path, self._version = await list_into(self._target, self._kind, self._scope, self._odd)
            self._listed = True
            self._tell(Reading.READ, self._unwatchable, heard=True)
            self._target.changed(self._kind.name)
        watch = Watch(self._kind, self._scope, self._target.view, self._target.shared, self._odd, self._version)
        try:
            lasted_seconds = await self._follow(watch)
        except NotAWatchListError:
            self._watch_list = False
            return 0.0
        except RefusedError as error:
            if watch.is_listing and error.status in _NO_WATCH_LIST:
                self._watch_list = False
                return 0.0
            if error.status in (403, 405):
                watch.version = ""
                return self._only_list()
            raise
        finally:
            self._version = watch.version
        return 0.0 if watch.heard or lasted_seconds >= _SHORT_WATCH_SECONDS else self._backoff.next_seconds()

    async def _follow(self, watch: Watch) -> float:
        """Until the server ends the watch; how many seconds that took."""
        pace, clock = self._target.pace, asyncio.get_running_loop().time
        params, started = watch.params(pace.timeout_seconds()), clock()
        async with self._target.connection.get(
            self._path, params, silence_seconds=pace.silence_seconds, stream=True
        ) as answer:
            self._heard(watch)
            async for chunk in answer.content.iter_any():
                if await watch.take(chunk):
                    self._backoff.reset()
                    self._heard(watch)
                    self._target.changed(self._kind.name)
        if watch.cut_short:
            raise ConnectionResetError("the watch ended in the middle of a line")
        return clock() - started

    def _heard(self, watch: Watch) -> None:
        if not watch.is_listing:
            self._listed = True
            self._unwatchable = ""
            self._tell(Reading.LIVE, heard=True)

    # ---- trouble: tell it, say how long to wait -------------------------------------------------------------------

    async def _refused(self, error: RefusedError) -> float:
        pace = self._target.pace
        if error.status == 410:
            self._version = ""
            return self._backoff.next_seconds()
        if error.status == 403:
            self._tell(Reading.FORBIDDEN, f"needs {self._kind.permission('list', self._scope)}", heard=True)
            return pace.slow_seconds
        if error.status == 404:
            self._version = ""
            await Replacement(self._target.view, self._kind.name, self._scope).finish(keep=set())
            self._tell(Reading.ABSENT, heard=True)
            return pace.slow_seconds
        return max(self._lost(error), min(error.retry_after_seconds or 0.0, _LONGEST_RETRY_AFTER))

    def _only_list(self) -> float:
        """Listing is allowed, watching is not: then a list a minute it is."""
        slow = self._target.pace.slow_seconds
        self._unwatchable = f"needs {self._kind.permission('watch', self._scope)}; read anew every {slow:g} s"
        self._tell(Reading.READ, self._unwatchable, heard=True)
        return slow

    def _lost(self, error: Exception) -> float:
        reason = str(error) if isinstance(error, ConfigError) else str(explain(error, self._target.connection.access))
        self._tell(Reading.STALE if self._listed else Reading.SILENT, reason)
        return self._backoff.next_seconds()

    def _tell(self, reading: Reading, detail: str = "", *, heard: bool = False) -> None:
        if self._odd:
            detail = "; ".join(filter(None, (detail, summary(self._odd))))
        self._target.board.report(self._kind.name, self._scope, reading, detail, heard=heard)
