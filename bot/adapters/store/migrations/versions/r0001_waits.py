"""The first tables: how long pods waited, and for what."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "pod_wait",
        sa.Column("cluster", sa.String(63), primary_key=True),
        sa.Column("uid", sa.String(128), primary_key=True),
        sa.Column("namespace", sa.String(253), nullable=False),
        sa.Column("name", sa.String(253), nullable=False),
        sa.Column("owner", sa.String(253), nullable=False),
        sa.Column("gpus", sa.Integer, nullable=False),
        sa.Column("shape", sa.String(253), nullable=False),
        sa.Column("pending_since", TIME, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("started_at", TIME),
        sa.Column("gone_at", TIME),
        sa.Column("changed_at", TIME, nullable=False),
    )
    op.create_index("pod_wait_started", "pod_wait", ["cluster", "started_at"])
    op.create_index("pod_wait_alive", "pod_wait", ["cluster", "gone_at"])
    op.create_index("pod_wait_changed", "pod_wait", ["changed_at"])
    op.create_table(
        "pod_wait_spell",
        sa.Column("cluster", sa.String(63), primary_key=True),
        sa.Column("uid", sa.String(128), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("reason_id", sa.String(253), nullable=False),
        sa.Column("sentence", sa.String(500), nullable=False),
        sa.Column("began_at", TIME, nullable=False),
        sa.Column("ended_at", TIME),
        sa.ForeignKeyConstraint(
            ["cluster", "uid"], ["pod_wait.cluster", "pod_wait.uid"], name="pod_wait_spell_wait", ondelete="CASCADE"
        ),
    )
