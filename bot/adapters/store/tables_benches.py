"""The table of measurements: one row each, as it was told, by cluster and workload."""

from sqlalchemy import Column, Index, Integer, String, Table, Text

from bot.adapters.store.tables import UtcTime, metadata

benches = Table(
    "bench",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("cluster", String(63), nullable=False),
    Column("workload", String(400), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("body", Text, nullable=False),
    Index("bench_workload", "cluster", "workload", "at"),
)
