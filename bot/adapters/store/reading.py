"""Statements that read a history back, and records from their rows.

Each wait comes as neighbouring rows, one for each of its spells, so that a reader needs one pass and little memory.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, Subquery, func, or_, select
from sqlalchemy.ext.asyncio import AsyncResult

from bot.adapters.store.tables import spells, waits
from bot.domain.history import Likeness, Run, Spell, Wait
from bot.scheduling.history.wait import chained

WAITS_AT_MOST = 50_000
RUNS_AT_MOST = 20_000
ROWS_AT_ONCE = 500  # between them others have their turn
Rows = Sequence[Row[Any]]


def alive(cluster: str, started_after: datetime) -> Select[Any]:
    """Waits of pods that were alive when last seen."""
    recent = or_(waits.c.started_at.is_(None), waits.c.started_at >= started_after)
    chosen = select(waits).where(waits.c.cluster == cluster, waits.c.gone_at.is_(None), recent)
    newest = chosen.order_by(waits.c.changed_at.desc()).limit(WAITS_AT_MOST).subquery()
    return _with_spells(newest).order_by(newest.c.uid, spells.c.number)


def started(cluster: str, started_after: datetime) -> Select[Any]:
    """The newest waits that ended with a start, oldest of them first."""
    chosen = select(waits).where(waits.c.cluster == cluster, waits.c.started_at >= started_after)
    newest = chosen.order_by(waits.c.started_at.desc()).limit(RUNS_AT_MOST).subquery()
    return _with_spells(newest).order_by(newest.c.started_at, newest.c.uid, spells.c.number)


def remembering_since(cluster: str) -> Select[Any]:
    return select(func.min(waits.c.seen_at)).where(waits.c.cluster == cluster)


async def groups(result: AsyncResult[Any]) -> AsyncIterator[Rows]:
    """The rows of one wait at a time."""
    same: list[Row[Any]] = []
    async for rows in result.partitions(ROWS_AT_ONCE):
        for row in rows:
            if same and same[-1].uid != row.uid:
                yield same
                same = []
            same.append(row)
    if same:
        yield same


def wait_of(rows: Rows) -> Wait:
    """One wait from its rows."""
    row = rows[0]
    wait = Wait(
        uid=row.uid,
        namespace=row.namespace,
        name=row.name,
        owner=row.owner,
        gpus=row.gpus,
        shape=row.shape,
        pending_since=row.pending_since,
        seen_at=row.seen_at,
        started_at=row.started_at,
        gone_at=row.gone_at,
        opened=rows[-1].number or 0,
        spells=tuple(Spell(one.reason_id, one.sentence, one.began_at) for one in rows if one.number is not None),
    )
    return chained(wait)


def run_of(rows: Rows) -> tuple[Likeness, Run]:
    """What estimates need of one wait that ended with a start."""
    row = rows[0]
    reasons = tuple(dict.fromkeys(one.reason_id for one in rows if one.number is not None))
    waited_seconds = (row.started_at - row.pending_since).total_seconds()
    return (row.gpus, row.shape), Run(row.namespace, row.owner, reasons, waited_seconds, row.started_at)


def _with_spells(newest: Subquery) -> Select[Any]:
    same_pod = (spells.c.cluster == newest.c.cluster) & (spells.c.uid == newest.c.uid)
    columns = (spells.c.number, spells.c.reason_id, spells.c.sentence, spells.c.began_at)
    return select(newest, *columns).outerjoin(spells, same_pod)
