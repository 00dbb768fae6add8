"""The audit in the database: added to at its end, read in its order, verified row by row as it was found."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Select, insert, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import NullType

from bot.adapters.store.tables_changes import audit, audit_end
from bot.domain.audit import AuditEvent, AuditRow, Happened, Verified
from bot.domain.chain import START, Raw, Verifier, canonical, digest, row_of

ROWS_AT_ONCE = 500
_END = 1  # the one row that says where the chain ends
_AS_FOUND: Select[Any] = select(  # what somebody changed may be of any type
    audit.c.number, type_coerce(audit.c.body, NullType()), type_coerce(audit.c.digest, NullType())
)
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Tail:
    """The end of the chain, held by this transaction until it is over. `rows`: what was added in it."""

    def __init__(self, connection: AsyncConnection, number: int, last_digest: str) -> None:
        self.connection = connection
        self.rows: list[AuditRow] = []
        self._number = number
        self._digest = last_digest

    @classmethod
    async def held(cls, connection: AsyncConnection) -> "Tail":
        """Waits for whoever holds it. SQLite's transaction holds the whole file already, and ignores FOR UPDATE."""
        ask = select(audit_end.c.number, audit_end.c.digest).where(audit_end.c.id == _END).with_for_update()
        end = (await connection.execute(ask)).one()
        return cls(connection, end.number, bytes(end.digest).decode("ascii", "replace"))

    async def add(self, event: AuditEvent) -> AuditRow:
        number, body = self._number + 1, canonical(self._number + 1, event)
        after = digest(self._digest, body)
        await self.connection.execute(insert(audit).values(number=number, body=body, digest=after.encode()))
        end = update(audit_end).where(audit_end.c.id == _END)
        await self.connection.execute(end.values(number=number, digest=after.encode()))
        self._number, self._digest = number, after
        self.rows.append(row_of(number, body, after))
        return self.rows[-1]


async def newest(connection: AsyncConnection, last: int | None = None, *, after: int = 0) -> list[AuditRow]:
    """In their order. A row that is none any more is told as such; `verify` says what is wrong with it."""
    ask = _AS_FOUND.where(audit.c.number > after).order_by(audit.c.number.desc())
    found = (await connection.execute(ask if last is None else ask.limit(last))).all()
    return [_read(row) for row in reversed(found)]


async def verified(connection: AsyncConnection) -> Verified:
    """Every row, then whether the last one is the last that was written. Rows added meanwhile are looked at, too."""
    verifier = Verifier()
    while True:
        while rows := await _page(connection, verifier.result.rows):
            if not verifier.take(rows):
                return verifier.result
        number, held = await _end(connection)
        more = isinstance(number, int) and number > verifier.result.rows
        if not more or not await _page(connection, verifier.result.rows):
            return verifier.end(number, held)


async def raw_rows(connection: AsyncConnection) -> AsyncIterator[Raw]:
    """Every row as it was found, in order."""
    after = -1
    while rows := await _page(connection, after):
        for row in rows:
            yield row
        after = rows[-1][0]


async def _page(connection: AsyncConnection, after: int) -> Sequence[tuple[int, object, object]]:
    ask = _AS_FOUND.where(audit.c.number > after).order_by(audit.c.number).limit(ROWS_AT_ONCE)
    found: Sequence[Any] = (await connection.execute(ask)).all()
    return [(row[0], row[1], row[2]) for row in found]


async def _end(connection: AsyncConnection) -> tuple[object, object]:
    held = type_coerce(audit_end.c.digest, NullType())
    row = (await connection.execute(select(audit_end.c.number, held).where(audit_end.c.id == _END))).first()
    return (None, None) if row is None else (row[0], row[1])


def _read(row: Any) -> AuditRow:
    number, body, held = row
    shown = held.decode("ascii", "replace") if isinstance(held, bytes) else START
    try:
        return row_of(number, body if isinstance(body, bytes) else b"", shown)
    except (msgspec.DecodeError, UnicodeDecodeError):
        unreadable = AuditEvent(what=Happened.UNREADABLE, at=_NEVER, says="This row was changed: it cannot be read")
        return AuditRow(number, unreadable, shown)
