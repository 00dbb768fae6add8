"""Freezes in the database. They are begun and ended within the transaction that audits it."""

from datetime import datetime

import msgspec
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.adapters.store.audit_log import Tail
from bot.adapters.store.change_rows import freeze_of
from bot.adapters.store.tables_changes import freezes
from bot.domain.audit import AuditEvent, Happened
from bot.domain.freeze import Freeze
from bot.domain.person import Asker


async def standing(connection: AsyncConnection) -> tuple[Freeze, ...]:
    """Those that nobody ended; whether their time is over is for the reader to say."""
    rows = await connection.execute(select(freezes).where(freezes.c.ended_at.is_(None)).order_by(freezes.c.number))
    return tuple(freeze_of(row) for row in rows)


async def begin(tail: Tail, cluster: str, until: datetime, because: str, asker: Asker, now: datetime) -> Freeze:
    number = (await tail.connection.execute(select(func.max(freezes.c.number)))).scalar() or 0
    made = Freeze(number=number + 1, cluster=cluster, by=asker.id, because=because, since=now, until=until)
    await tail.connection.execute(insert(freezes).values(msgspec.structs.asdict(made)))
    await tail.add(began(made, asker, now))
    return made


async def end(tail: Tail, cluster: str, asker: Asker, now: datetime) -> tuple[Freeze, ...]:
    held = [one for one in await standing(tail.connection) if one.holds(cluster, now)]
    for one in held:
        await tail.connection.execute(update(freezes).where(freezes.c.number == one.number).values(ended_at=now))
        await tail.add(over(one, asker, now))
    return tuple(msgspec.structs.replace(one, ended_at=now) for one in held)


def began(freeze: Freeze, asker: Asker, now: datetime) -> AuditEvent:
    until = msgspec.to_builtins(freeze.until)
    return _event(Happened.FROZEN, freeze, asker, now, freeze.because, {"freeze": freeze.number, "until": until})


def over(freeze: Freeze, asker: Asker, now: datetime) -> AuditEvent:
    return _event(Happened.THAWED, freeze, asker, now, f"freeze {freeze.number} ended", {"freeze": freeze.number})


def _event(
    what: Happened, freeze: Freeze, asker: Asker, now: datetime, says: str, facts: dict[str, object]
) -> AuditEvent:
    return AuditEvent(
        what=what,
        at=now,
        cluster=freeze.cluster,
        person=asker.id,
        workspace=asker.workspace,
        channel=asker.channel,
        says=says,
        facts=facts,
    )
