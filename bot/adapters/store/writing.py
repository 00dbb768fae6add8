"""Statements that write: each may be done twice and leaves the same rows."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Delete, Table, bindparam, delete, func, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from bot.adapters.store.tables import spells, waits
from bot.domain.history import SPELLS_AT_MOST, Change

Row = dict[str, Any]
Changes = Mapping[tuple[str, str], Change]  # by cluster and uid
Upsert = sqlite.Insert | postgresql.Insert  # both say ON CONFLICT in the same words


def upsert(table: Table, dialect: str) -> Upsert:
    """Insert a row, or make the row with its key what is given."""
    statement: Upsert = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    others = {column.name: statement.excluded[column.name] for column in table.columns if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=others)


def wait_rows(changes: Changes, now: datetime) -> list[Row]:
    return [
        {
            "cluster": cluster,
            "uid": wait.uid,
            "namespace": wait.namespace,
            "name": wait.name,
            "owner": wait.owner,
            "gpus": wait.gpus,
            "shape": wait.shape,
            "pending_since": wait.pending_since,
            "seen_at": wait.seen_at,
            "started_at": wait.started_at,
            "gone_at": wait.gone_at,
            "changed_at": now,
        }
        for (cluster, _), change in changes.items()
        for wait in (change.wait,)
    ]


def spell_rows(changes: Changes) -> list[Row]:
    return [
        {
            "cluster": cluster,
            "uid": uid,
            "number": number,
            "reason_id": spell.reason_id,
            "sentence": spell.sentence,
            "began_at": spell.began_at,
            "ended_at": spell.ended_at,
        }
        for (cluster, uid), change in changes.items()
        for number, spell in change.wait.numbered(change.first)
    ]


def begun_anew(changes: Changes) -> list[Row]:
    """Pods of which nothing that is stored holds any more: they were thought gone, and are back."""
    return [{"of_cluster": cluster, "of_uid": uid} for (cluster, uid), change in changes.items() if change.first == 1]


FORGET_SPELLS = delete(spells).where(spells.c.cluster == bindparam("of_cluster"), spells.c.uid == bindparam("of_uid"))


def too_many_spells() -> Delete:
    """Spells that no reader would look at: all but the newest of each pod."""
    same = spells.alias()
    newest = select(func.max(same.c.number)).where(same.c.cluster == spells.c.cluster, same.c.uid == spells.c.uid)
    return delete(spells).where(spells.c.number <= newest.scalar_subquery() - SPELLS_AT_MOST)


def oldest_waits(at_most: int, before: datetime | None = None) -> Delete:
    """So many of the waits, longest unchanged first, that have not changed since; their spells go with them."""
    chosen = select(waits.c.cluster, waits.c.uid).order_by(waits.c.changed_at).limit(at_most)
    if before is not None:
        chosen = chosen.where(waits.c.changed_at < before)
    return delete(waits).where(tuple_(waits.c.cluster, waits.c.uid).in_(chosen))


HOW_MANY = select(func.count()).select_from(waits)
