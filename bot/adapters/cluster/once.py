"""A cluster read once, for a command in a terminal: no watch, nothing that goes on afterwards."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime

from bot.adapters.cluster.board import Board
from bot.adapters.cluster.cache import chosen
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.decoding import summary
from bot.adapters.cluster.errors import TROUBLE, RefusedError, explain
from bot.adapters.cluster.kind import AnyKind
from bot.adapters.cluster.listing import list_into
from bot.adapters.cluster.pace import Pace
from bot.adapters.cluster.target import Target
from bot.domain.errors import BotError, ConfigError
from bot.domain.source import Reading
from bot.domain.view import View

TRIES = 4
AGAIN = frozenset({429, 503, 504})
LONGEST_WAIT = 5.0  # seconds that a server's Retry-After is honoured for: somebody waits at a terminal


async def read_once(
    name: str,
    connection: Connection,
    *,
    now: Callable[[], datetime],
    kinds: Iterable[str] | None = None,
    namespaces: tuple[str, ...] = (),
    pace: Pace | None = None,
) -> View:
    """The kinds of those plurals (None: all), listed side by side. What one lacks, its source says.

    Raises ClusterError where the API server cannot be reached or accepts nothing, ConfigError for credentials.
    """
    view = View(name)
    target = Target(connection, view, Board(view, now), lambda _: None, pace or Pace())
    troubles = await asyncio.gather(*(_read(target, kind, namespaces) for kind in chosen(kinds).values()))
    if troubles and all(troubles):
        raise troubles[0]  # type: ignore[misc]  # all of them are errors then
    return view


async def _read(target: Target, kind: AnyKind, namespaces: tuple[str, ...]) -> BotError | None:
    target.board.expect(kind.name)
    trouble, status = await _list(target, kind, "")
    if status == 403 and namespaces and kind.namespaced:
        target.board.expect(kind.name, namespaces)
        answers = await asyncio.gather(*(_list(target, kind, scope) for scope in namespaces))
        trouble = next((trouble for trouble, _ in answers if trouble), None)
    return trouble


async def _patiently(target: Target, kind: AnyKind, scope: str, odd: dict[str, str]) -> None:
    """A server that asks for another try gets one: 504 after a mass of writes, 429 under load, 503 as it starts."""
    backoff = target.pace.backoff()
    for _ in range(TRIES - 1):
        try:
            await list_into(target, kind, scope, odd)
        except RefusedError as error:
            if error.status not in AGAIN:
                raise
            await target.pace.sleep(max(backoff.next_seconds(), min(error.retry_after_seconds or 0.0, LONGEST_WAIT)))
        else:
            return
    await list_into(target, kind, scope, odd)


async def _list(target: Target, kind: AnyKind, scope: str) -> tuple[BotError | None, int]:
    """What kept the list from being read, and the server's status. Forbidden and absent are answers, no trouble."""
    odd: dict[str, str] = {}
    access = target.connection.access
    try:
        await _patiently(target, kind, scope, odd)
    except RefusedError as error:
        if error.status == 403:
            target.board.report(
                kind.name, scope, Reading.FORBIDDEN, f"needs {kind.permission('list', scope)}", heard=True
            )
            return None, error.status
        if error.status == 404:
            target.board.report(kind.name, scope, Reading.ABSENT, heard=True)
            return None, error.status
        trouble: BotError = explain(error, access)
    except ConfigError as error:
        trouble = error
    except TROUBLE as error:
        trouble = explain(error, access)
    else:
        target.board.report(kind.name, scope, Reading.READ, summary(odd), heard=True)
        return None, 200
    target.board.report(kind.name, scope, Reading.SILENT, str(trouble))
    return trouble, 0
