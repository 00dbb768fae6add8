"""Changes and freezes as rows, and back; a row that is compared and set."""

from typing import Any

import msgspec
from sqlalchemy import Row, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.adapters.store.tables_changes import changes
from bot.domain.change import Approval, Change, ChangeState, Plan
from bot.domain.errors import ConflictError, NotFoundError
from bot.domain.freeze import Freeze


def row_of(change: Change) -> dict[str, Any]:
    return {
        "number": change.number,
        "cluster": change.cluster,
        "state": str(change.state),
        "plan": msgspec.json.encode(change.plan).decode(),
        "requester": change.requester,
        "workspace": change.workspace,
        "channel": change.channel,
        "requested_at": change.requested_at,
        "expires_at": change.expires_at,
        "needed": change.needed,
        "approvals": msgspec.json.encode(change.approvals).decode(),
        "nonce": change.nonce,
        "done": change.done,
        "applied_at": change.applied_at,
        "told": change.told,
        "undo_at": change.undo_at,
        "audit_ids": msgspec.json.encode(change.audit_ids).decode(),
    }


def change_of(row: Row[Any]) -> Change:
    return Change(
        number=row.number,
        cluster=row.cluster,
        plan=msgspec.json.decode(row.plan, type=Plan),
        state=ChangeState(row.state),
        requester=row.requester,
        workspace=row.workspace,
        channel=row.channel,
        requested_at=row.requested_at,
        expires_at=row.expires_at,
        needed=row.needed,
        approvals=msgspec.json.decode(row.approvals, type=tuple[Approval, ...]),
        nonce=row.nonce,
        done=row.done,
        applied_at=row.applied_at,
        told=row.told,
        undo_at=row.undo_at,
        audit_ids=msgspec.json.decode(row.audit_ids, type=tuple[str, ...]),
    )


async def held(connection: AsyncConnection, number: int) -> Change:
    """The change, which nobody else may change until this transaction is over. Raises NotFoundError."""
    row = (await connection.execute(select(changes).where(changes.c.number == number).with_for_update())).first()
    if row is None:
        raise NotFoundError(f"There is no change {number}.")
    return change_of(row)


async def replace(connection: AsyncConnection, before: Change, after: Change) -> None:
    """Compared once more by the database itself, and set. Raises ConflictError."""
    same = (changes.c.state == str(before.state)) & (changes.c.nonce == before.nonce) & (changes.c.done == before.done)
    statement = update(changes).where(changes.c.number == before.number, same).values(row_of(after))
    if (await connection.execute(statement)).rowcount != 1:
        raise ConflictError(f"Change {before.number} was changed by another replica: nothing was done.")


def freeze_of(row: Row[Any]) -> Freeze:
    return Freeze(
        number=row.number,
        cluster=row.cluster,
        by=row.by,
        because=row.because,
        since=row.since,
        until=row.until,
        ended_at=row.ended_at,
    )
