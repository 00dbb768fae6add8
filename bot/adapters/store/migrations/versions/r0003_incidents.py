"""Alerts and incidents: what fires, who was told, how each incident went."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _alerts()
    _incidents()
    _numbers()


def _alerts() -> None:
    op.create_table(
        "alert",
        sa.Column("cluster", sa.String(63), primary_key=True),
        sa.Column("fingerprint", sa.String(64), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "alert_group",
        sa.Column("cluster", sa.String(63), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "alert_weather",
        sa.Column("cluster", sa.String(63), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "silence",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("cluster", sa.String(63), nullable=False),
        sa.Column("until", TIME, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("silence_until", "silence", ["until"])


def _incidents() -> None:
    op.create_table(
        "incident",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("cluster", sa.String(63), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("opened_at", TIME, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("incident_cluster", "incident", ["cluster", "opened_at"])
    op.create_table(
        "incident_entry",
        sa.Column(
            "number",
            sa.Integer,
            sa.ForeignKey("incident.number", name="incident_entry_incident", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("by", sa.String(64), nullable=False),
        sa.Column("name", sa.String(253), nullable=False),
        sa.Column("given_to", sa.String(64), nullable=False),
        sa.Column("says", sa.Text, nullable=False),
    )


def _numbers() -> None:
    made = op.create_table(
        "incident_numbers",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("next_incident", sa.Integer, nullable=False),
        sa.Column("next_silence", sa.Integer, nullable=False),
    )
    op.bulk_insert(made, [{"id": 1, "version": 0, "next_incident": 1, "next_silence": 1}])
