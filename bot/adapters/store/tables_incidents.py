"""What is remembered of alerts, incidents with their timelines, silences, and the numbers that they are given.

What code alone reads is kept as JSON; columns beside it are what statements ask for. The one row of numbers has a
version: whoever saves compares it, so that of two replicas that decide at once, one decides again.
"""

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text

from bot.adapters.store.tables import UtcTime, metadata

alerts = Table(
    "alert",
    metadata,
    Column("cluster", String(63), primary_key=True),
    Column("fingerprint", String(64), primary_key=True),
    Column("body", Text, nullable=False),
)

groups = Table(
    "alert_group",
    metadata,
    Column("cluster", String(63), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)

weather = Table(  # new groups lately, and the storm
    "alert_weather",
    metadata,
    Column("cluster", String(63), primary_key=True),
    Column("body", Text, nullable=False),
)

incidents = Table(
    "incident",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("cluster", String(63), nullable=False),
    Column("state", String(20), nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("body", Text, nullable=False),
    Index("incident_cluster", "cluster", "opened_at"),
)

entries = Table(
    "incident_entry",
    metadata,
    Column(
        "number",
        Integer,
        ForeignKey("incident.number", name="incident_entry_incident", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("what", String(20), nullable=False),
    Column("by", String(64), nullable=False),
    Column("name", String(253), nullable=False),
    Column("given_to", String(64), nullable=False),
    Column("says", Text, nullable=False),
)

silences = Table(
    "silence",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("cluster", String(63), nullable=False),
    Column("until", UtcTime, nullable=False),
    Column("body", Text, nullable=False),
    Index("silence_until", "until"),
)

numbers = Table(
    "incident_numbers",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("next_incident", Integer, nullable=False),
    Column("next_silence", Integer, nullable=False),
)
