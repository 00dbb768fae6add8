"""The tables as they are now. A change here comes with a file in `migrations/versions`; a test compares the two.

Keys are natural (a pod's uid, the number of a spell within its wait), so that what is written twice, by a restarted bot
or by two replicas, is there once. Times are UTC.
"""

from datetime import UTC, datetime

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    TypeDecorator,
)


class UtcTime(TypeDecorator[datetime]):
    """A time with its zone, also where the database keeps none (SQLite: text that sorts)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        there = value.astimezone(UTC)
        return there.replace(tzinfo=None) if dialect.name == "sqlite" else there

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=UTC)


metadata = MetaData()

waits = Table(
    "pod_wait",
    metadata,
    Column("cluster", String(63), primary_key=True),
    Column("uid", String(128), primary_key=True),
    Column("namespace", String(253), nullable=False),
    Column("name", String(253), nullable=False),
    Column("owner", String(253), nullable=False),
    Column("gpus", Integer, nullable=False),
    Column("shape", String(253), nullable=False),
    Column("pending_since", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("gone_at", UtcTime),
    Column("changed_at", UtcTime, nullable=False),
    Index("pod_wait_started", "cluster", "started_at"),
    Index("pod_wait_alive", "cluster", "gone_at"),
    Index("pod_wait_changed", "changed_at"),
)

spells = Table(
    "pod_wait_spell",
    metadata,
    Column("cluster", String(63), primary_key=True),
    Column("uid", String(128), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("reason_id", String(253), nullable=False),
    Column("sentence", String(500), nullable=False),
    Column("began_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    ForeignKeyConstraint(
        ["cluster", "uid"], ["pod_wait.cluster", "pod_wait.uid"], name="pod_wait_spell_wait", ondelete="CASCADE"
    ),
)
