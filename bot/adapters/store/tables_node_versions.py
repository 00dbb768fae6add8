"""The table of what each node ran: a row for each version of each part, from when until when."""

from sqlalchemy import Column, Index, String, Table

from bot.adapters.store.tables import UtcTime, metadata

node_versions = Table(
    "node_version",
    metadata,
    Column("cluster", String(63), primary_key=True),
    Column("node", String(253), primary_key=True),
    Column("part", String(32), primary_key=True),
    Column("began_at", UtcTime, primary_key=True),
    Column("value", String(253), nullable=False),
    Column("told_by", String(32), nullable=False),
    Column("ended_at", UtcTime),
    Column("seen_at", UtcTime, nullable=False),
    Index("node_version_seen", "seen_at"),
)
