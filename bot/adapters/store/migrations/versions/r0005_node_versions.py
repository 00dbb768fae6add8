"""What each node was before: driver, CUDA, plugin, kernel and kubelet as they changed."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "node_version",
        sa.Column("cluster", sa.String(63), primary_key=True),
        sa.Column("node", sa.String(253), primary_key=True),
        sa.Column("part", sa.String(32), primary_key=True),
        sa.Column("began_at", TIME, primary_key=True),
        sa.Column("value", sa.String(253), nullable=False),
        sa.Column("told_by", sa.String(32), nullable=False),
        sa.Column("ended_at", TIME),
        sa.Column("seen_at", TIME, nullable=False),
    )
    op.create_index("node_version_seen", "node_version", ["seen_at"])
