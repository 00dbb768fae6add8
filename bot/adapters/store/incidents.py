"""Alerts, incidents and silences: in memory for whoever reads, and changed in one transaction with their posts.

Nothing is remembered that is not kept: while the database is away, nothing is decided, and the book says why. Whoever
decides is asked again where another replica was faster.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.adapters.store import incident_rows
from bot.adapters.store.errors import StoreUnavailableError
from bot.adapters.store.store import Store
from bot.adapters.store.tables_incidents import incidents, numbers, silences
from bot.domain.errors import ConflictError
from bot.domain.incident import Book, IncidentState
from bot.domain.posting import Post

PutIn = Callable[[AsyncConnection, Sequence[Post], datetime], Awaitable[None]]
Decide = Callable[[Book], Book]
Telling = Callable[[Book, Book], Sequence[Post]]
TRIES = 5
_ONE = 1  # the row of numbers


class Incidents:
    """An IncidentStore. put_in: records posts within a transaction that is open (None: nothing can be posted)."""

    def __init__(self, store: Store, clusters: Iterable[str], put_in: PutIn | None = None) -> None:
        self._store = store
        self._put_in = put_in
        self._books = {name: Book(cluster=name, trouble="not read yet") for name in clusters}
        self._version = -1  # of what is in memory; before all: nothing was read
        self._one_at_a_time = asyncio.Lock()

    def incidents(self, cluster: str) -> Book:
        return self._books[cluster]

    async def refresh(self) -> None:
        """Bring the memory to what all replicas wrote. Raises StoreUnavailableError."""
        async with self._one_at_a_time:
            if await self._outdated():
                await self._load()

    async def change(self, cluster: str, decide: Decide, now: datetime, posts: Telling | None = None) -> Book:
        async with self._one_at_a_time:
            try:
                return await self._change(cluster, decide, now, posts)
            except StoreUnavailableError as error:
                self._say(str(error))
                raise

    async def prune(self, now: datetime, *, days: int) -> None:
        """Forget what was over so many days ago, for good."""
        before = now - timedelta(days=days)
        over = [str(state) for state in IncidentState if state in (IncidentState.CLOSED, IncidentState.MERGED)]
        async with self._one_at_a_time:
            async with self._store.transaction() as connection:
                old = (incidents.c.opened_at < before) & incidents.c.state.in_(over)
                await connection.execute(delete(incidents).where(old))
                await connection.execute(delete(silences).where(silences.c.until < before))
                await connection.execute(update(numbers).values(version=numbers.c.version + 1))
            await self._load()

    async def _change(self, cluster: str, decide: Decide, now: datetime, posts: Telling | None) -> Book:
        for _ in range(TRIES):
            if self._version < 0:
                await self._load()
            before = self._books[cluster]
            after = await asyncio.to_thread(decide, before)
            if after is before:
                return before
            told = await asyncio.to_thread(posts, before, after) if posts else ()
            if await self._saved(before, after, told, now):
                self._keep(after)
                return after
            self._version = -1
        raise ConflictError("Incidents were changed by another replica at the same time, again and again; try again.")

    async def _saved(self, before: Book, after: Book, posts: Sequence[Post], now: datetime) -> bool:
        """False where another replica changed something since it was read: then nothing is written."""
        async with self._store.transaction() as connection:
            mine = update(numbers).where(numbers.c.id == _ONE, numbers.c.version == self._version)
            next_ones = {"next_incident": after.next_incident, "next_silence": after.next_silence}
            if (await connection.execute(mine.values(version=self._version + 1, **next_ones))).rowcount != 1:
                return False
            await incident_rows.save(connection, before, after)
            if posts and self._put_in is not None:
                await self._put_in(connection, posts, now)
        return True

    async def _outdated(self) -> bool:
        """Every transaction counts the version up, so one number tells; a book with a trouble was not read since."""
        async with self._store.snapshot() as connection:
            version = (await connection.execute(select(numbers.c.version).where(numbers.c.id == _ONE))).scalar_one()
        return version != self._version or any(book.trouble for book in self._books.values())

    async def _load(self) -> None:
        async with self._store.snapshot() as connection:
            row = (await connection.execute(select(numbers).where(numbers.c.id == _ONE))).one()
            found = [await incident_rows.load(connection, name) for name in self._books]
        self._version = row.version
        for book in found:
            self._books[book.cluster] = msgspec.structs.replace(
                book, next_incident=row.next_incident, next_silence=row.next_silence
            )

    def _keep(self, after: Book) -> None:
        """Numbers are given for all clusters together."""
        self._version += 1
        self._books[after.cluster] = msgspec.structs.replace(after, trouble="")
        for name, book in self._books.items():
            self._books[name] = msgspec.structs.replace(
                book, next_incident=after.next_incident, next_silence=after.next_silence, trouble=""
            )

    def _say(self, trouble: str) -> None:
        for name, book in self._books.items():
            self._books[name] = msgspec.structs.replace(book, trouble=trouble)
