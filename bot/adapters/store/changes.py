"""Changes in the database: every move is compared and set in one transaction with its audit row and its posts.

Numbers are given in the order of the audit: a transaction holds the end of the chain while it writes, so that no two
replicas write at once.
"""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Select, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.adapters.store import audit_log, change_moves, freezes
from bot.adapters.store.audit_log import Tail
from bot.adapters.store.audit_memory import KEPT, AuditMemory
from bot.adapters.store.change_rows import change_of, held, replace, row_of
from bot.adapters.store.store import Store
from bot.adapters.store.tables_changes import changes, nonces
from bot.changes.machine import OPEN
from bot.domain.audit import AuditEvent, AuditRow, Verified
from bot.domain.chain import Raw
from bot.domain.change import Change, ChangeState, Plan
from bot.domain.freeze import Freeze
from bot.domain.person import Asker
from bot.domain.posting import Post
from bot.ports import Telling

PutIn = Callable[[AsyncConnection, Sequence[Post], datetime], Awaitable[None]]
_NONCE_BYTES = 18


class Changes:
    """A ChangeStore. `memory` is the AuditReader of the same database.

    put_in: records posts within a transaction that is open (None: nothing can be posted).
    """

    def __init__(self, store: Store, put_in: PutIn | None = None) -> None:
        self._store = store
        self._put_in = put_in
        self.memory = AuditMemory()

    async def refresh(self) -> None:
        """Bring the memory to what all replicas wrote."""
        async with self._store.snapshot() as connection:
            rows = await audit_log.newest(connection, KEPT, after=self.memory.last)
            standing = await freezes.standing(connection)
        self.memory.refresh(rows, standing)

    async def propose(
        self,
        plan: Plan,
        asker: Asker,
        needed: int,
        expires_at: datetime,
        cluster: str,
        now: datetime,
        *,
        message: str = "",
        posts: Telling | None = None,
    ) -> Change:
        async with self._writing() as tail:
            newest = (await tail.connection.execute(_BY_NUMBER.limit(1))).scalar()
            change = change_moves.proposed((newest or 0) + 1, _nonce(), plan, asker, needed, expires_at, cluster, now)
            await tail.connection.execute(insert(changes).values(row_of(change)))
            await self._told(tail, change, change_moves.proposal_event(change, now, message), posts, now)
        return change

    async def by_nonce(self, nonce: str) -> Change | None:
        return await self._one(select(changes).where(changes.c.nonce == nonce)) if nonce else None

    async def spent(self, nonce: str) -> Change | None:
        given = select(nonces.c.change).where(nonces.c.nonce == nonce).scalar_subquery()
        return await self._one(select(changes).where(changes.c.number == given)) if nonce else None

    async def get(self, number: int) -> Change | None:
        return await self._one(select(changes).where(changes.c.number == number))

    async def move(
        self,
        number: int,
        expected: ChangeState,
        to: ChangeState,
        *,
        now: datetime,
        actor: str,
        told: str = "",
        nonce: str = "",
        workspace: str = "",
        message: str = "",
        posts: Telling | None = None,
        **fields: Any,
    ) -> Change:
        async with self._writing() as tail:
            before = await held(tail.connection, number)
            after = change_moves.moved(before, expected, to, nonce, _nonce(), told, fields)
            await replace(tail.connection, before, after)
            event = change_moves.move_event(before, after, now, actor, workspace, message)
            await self._told(tail, after, event, posts, now)
        return after

    async def step_done(self, number: int, index: int, audit_id: str, now: datetime) -> Change:
        async with self._writing() as tail:
            before = await held(tail.connection, number)
            after = change_moves.stepped(before, index, audit_id)
            if after is None:
                return before
            await replace(tail.connection, before, after)
            await tail.add(change_moves.step_event(after, index, audit_id, now))
        return after

    async def recent(self, cluster: str, since: datetime) -> tuple[Change, ...]:
        lately = or_(changes.c.requested_at >= since, changes.c.applied_at >= since)
        return await self._all(select(changes).where(changes.c.cluster == cluster, lately))

    async def open_changes(self) -> tuple[Change, ...]:
        by_the_clock = (changes.c.state == str(ChangeState.APPLIED)) & changes.c.undo_at.is_not(None)
        under_way = changes.c.state.in_([str(state) for state in OPEN])
        return await self._all(select(changes).where(or_(under_way, by_the_clock)))

    async def audit(self, event: AuditEvent) -> None:
        async with self._writing() as tail:
            await tail.add(event)

    async def audit_rows(self, *, last: int | None = None) -> tuple[AuditRow, ...]:
        async with self._store.snapshot() as connection:
            return tuple(await audit_log.newest(connection, last))

    async def verify(self) -> Verified:
        async with self._store.snapshot() as connection:
            return await audit_log.verified(connection)

    async def raw_rows(self) -> AsyncIterator[Raw]:
        """Every row of the audit as it was found: for an export that can be verified, too."""
        async with self._store.snapshot() as connection:
            async for row in audit_log.raw_rows(connection):
                yield row

    async def freeze(self, cluster: str, until: datetime, because: str, asker: Asker, now: datetime) -> Freeze:
        async with self._writing() as tail:
            made = await freezes.begin(tail, cluster, until, because, asker, now)
        self.memory.froze(made)
        return made

    async def thaw(self, cluster: str, asker: Asker, now: datetime) -> tuple[Freeze, ...]:
        async with self._writing() as tail:
            ended = await freezes.end(tail, cluster, asker, now)
        self.memory.froze(*ended)
        return ended

    async def freezes(self, now: datetime, cluster: str = "") -> tuple[Freeze, ...]:
        async with self._store.snapshot() as connection:
            found = await freezes.standing(connection)
        return tuple(one for one in found if one.holds(cluster or one.cluster, now))

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[Tail]:
        async with self._store.transaction() as connection:
            tail = await Tail.held(connection)
            yield tail
        self.memory.add(tail.rows)

    async def _told(self, tail: Tail, change: Change, event: AuditEvent, posts: Telling | None, now: datetime) -> None:
        """The new nonce, the audit row and the posts of a change, within its transaction."""
        if change.nonce:
            await tail.connection.execute(insert(nonces).values(nonce=change.nonce, change=change.number))
        await tail.add(event)
        if posts is None:
            return
        if self._put_in is None:
            raise TypeError("nothing can be posted: the store was made without put_in")
        await self._put_in(tail.connection, posts(change), now)

    async def _one(self, statement: Select[Any]) -> Change | None:
        async with self._store.snapshot() as connection:
            row = (await connection.execute(statement)).first()
        return None if row is None else change_of(row)

    async def _all(self, statement: Select[Any]) -> tuple[Change, ...]:
        async with self._store.snapshot() as connection:
            rows = (await connection.execute(statement.order_by(changes.c.number))).all()
        return tuple(change_of(row) for row in rows)


_BY_NUMBER = select(changes.c.number).order_by(changes.c.number.desc())


def _nonce() -> str:
    return secrets.token_urlsafe(_NONCE_BYTES)
