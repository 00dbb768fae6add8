"""The database: opened and brought up to date, written to in one transaction a sweep, read once at the start."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, Self

from sqlalchemy import Delete, Select
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.adapters.store import reading, writing
from bot.adapters.store.engine import engine_for, parsed
from bot.adapters.store.errors import explained, where
from bot.adapters.store.migrate import to_head
from bot.adapters.store.tables import spells, waits
from bot.domain.history import History
from bot.scheduling.history.changes import KEPT, by_likeness

KEPT_DAYS = 90
WAITS_AT_MOST = 200_000
PRUNED_AT_ONCE = 2_000  # between them other writers have their turn


class Store:
    """An open database. Whatever fails raises StoreUnavailableError."""

    def __init__(self, url: URL, engine: AsyncEngine) -> None:
        self._url = url
        self._engine = engine

    @classmethod
    async def open(cls, url: str) -> Self:
        """The database at that URL, made or migrated as needed.

        Raises ConfigError where the URL is wrong, its driver missing or the database a newer program's, else
        StoreUnavailableError.
        """
        place = parsed(url)
        with explained(place):
            store = cls(place, engine_for(place))
        try:
            async with store.transaction() as connection:
                await connection.run_sync(to_head, where(place))
        except BaseException:
            await store.close()
            raise
        return store

    async def close(self) -> None:
        await self._engine.dispose()

    async def save(self, changes: writing.Changes, now: datetime) -> None:
        """All of them, at least one, or none."""
        dialect = self._engine.dialect.name
        anew, their_spells = writing.begun_anew(changes), writing.spell_rows(changes)
        async with self.transaction() as connection:
            await connection.execute(writing.upsert(waits, dialect), writing.wait_rows(changes, now))
            if anew:
                await connection.execute(writing.FORGET_SPELLS, anew)
            if their_spells:
                await connection.execute(writing.upsert(spells, dialect), their_spells)

    async def load(self, cluster: str, now: datetime) -> History:
        """What is remembered of that cluster."""
        async with self.snapshot() as connection:
            since = (await connection.execute(reading.remembering_since(cluster))).scalar()
            alive = [reading.wait_of(rows) async for rows in _groups(connection, reading.alive(cluster, now - KEPT))]
            runs = [reading.run_of(rows) async for rows in _groups(connection, reading.started(cluster, now - KEPT))]
        return History(cluster=cluster, waits={wait.uid: wait for wait in alive}, runs=by_likeness(runs), since=since)

    async def prune(self, now: datetime, *, days: int = KEPT_DAYS, at_most: int = WAITS_AT_MOST) -> int:
        """Forget waits unchanged for so many days, then the oldest beyond so many; how many were forgotten."""
        forgotten = await self._forget(None, now - timedelta(days=days))
        async with self.transaction() as connection:
            await connection.execute(writing.too_many_spells())
            surplus = (await connection.execute(writing.HOW_MANY)).scalar_one() - at_most
        return forgotten + await self._forget(max(0, surplus))

    async def _forget(self, at_most: int | None, before: datetime | None = None) -> int:
        forgotten = 0
        while at_most is None or forgotten < at_most:
            limit = PRUNED_AT_ONCE if at_most is None else min(PRUNED_AT_ONCE, at_most - forgotten)
            found = await self._delete(writing.oldest_waits(limit, before))
            forgotten += found
            if found < limit:
                break
        return forgotten

    async def _delete(self, statement: Delete) -> int:
        async with self.transaction() as connection:
            return (await connection.execute(statement)).rowcount

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """To write in: all of it happens, or nothing. Other stores of this database use it, too."""
        with explained(self._url):
            async with self._engine.execution_options(writes=True).begin() as connection:
                yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """To read from."""
        with explained(self._url):
            async with self._engine.connect() as connection:
                yield connection


async def _groups(connection: AsyncConnection, statement: Select[Any]) -> AsyncIterator[Sequence[Any]]:
    async with connection.stream(statement) as result:
        async for rows in reading.groups(result):
            yield rows
