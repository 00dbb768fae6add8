"""One kind from a live cluster, page by page, as plain dictionaries: what to keep of them is decided elsewhere."""

from collections.abc import Callable
from typing import Any

import msgspec

from bot.adapters.capture.kinds import Listed
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, RefusedError, explain
from bot.domain.source import Reading

PAGE_SIZE = 500  # client-go's
SILENCE_SECONDS = 60.0
_STARTS = 3  # a list that expires midway (410) is begun anew; more often than that, the server cannot keep up
_GONE = 410
_RETIRED = 404  # no such kind, or not in this version
_FORBIDDEN = 403


class _Metadata(msgspec.Struct):
    more: str = msgspec.field(default="", name="continue")


class _Page(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    items: list[dict[str, Any]] | None = None


class Outcome(msgspec.Struct, frozen=True):
    """How the reading of a kind went (READ, ABSENT, FORBIDDEN, SILENT), and the server's own words if it refused."""

    reading: Reading
    why: str = ""


_decoder = msgspec.json.Decoder(_Page)
Keep = Callable[[list[dict[str, Any]]], None]


async def read_kind(connection: Connection, kind: Listed, *, restart: Callable[[], None], keep: Keep) -> Outcome:
    """List a kind in the first version that the server knows; `restart` is called before each attempt to list it.

    Raises ClusterError where the server cannot be reached or does not accept the credentials.
    """
    for version in kind.versions:
        try:
            await _read_version(connection, kind, version, restart, keep)
            return Outcome(Reading.READ)
        except RefusedError as error:
            restart()
            if error.status == _RETIRED:
                continue
            if error.status == _FORBIDDEN:
                return Outcome(Reading.FORBIDDEN, error.message)
            if error.status >= 429 or error.status == _GONE:
                return Outcome(Reading.SILENT, f"{error.status} {error.reason}: {error.message}")
            raise explain(error, connection.access) from error
        except TROUBLE as error:
            raise explain(error, connection.access) from error
    return Outcome(Reading.ABSENT)


async def _read_version(
    connection: Connection, kind: Listed, version: str, restart: Callable[[], None], keep: Keep
) -> None:
    for attempt in range(1, _STARTS + 1):
        restart()
        try:
            await _read_pages(connection, kind, version, keep)
            return
        except RefusedError as error:
            if error.status != _GONE or attempt == _STARTS:
                raise


async def _read_pages(connection: Connection, kind: Listed, version: str, keep: Keep) -> None:
    params = {"limit": str(PAGE_SIZE)}
    while True:
        async with connection.get(kind.path(version), params, silence_seconds=SILENCE_SECONDS) as answer:
            page = _decoder.decode(await answer.read())
        # Items of a typed list do not say what they are; on their own they must.
        keep([{**item, "apiVersion": version, "kind": kind.kind} for item in page.items or ()])
        if not page.metadata.more:
            return
        params["continue"] = page.metadata.more
