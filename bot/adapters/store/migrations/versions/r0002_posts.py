"""What is to stand in Slack's channels, recorded before it is posted, and which deliveries were acted on."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _posts()
    _deliveries()


def _posts() -> None:
    op.create_table(
        "post",
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("channel", sa.String(64), nullable=False),
        sa.Column("thread", sa.String(255), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("blocks", sa.Text, nullable=False),
        sa.Column("urgent", sa.Boolean, nullable=False),
        sa.Column("broadcast", sa.Boolean, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("posted_digest", sa.String(64), nullable=False),
        sa.Column("due", sa.Boolean, nullable=False),
        sa.Column("due_since", TIME, nullable=False),
        sa.Column("not_before", TIME),
        sa.Column("tried_at", TIME),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("ts", sa.String(32), nullable=False),
        sa.Column("posted_channel", sa.String(64), nullable=False),
        sa.Column("posted_at", TIME),
    )
    op.create_index("post_due", "post", ["due", "channel", "urgent", "place"])
    op.create_index("post_place", "post", ["place"])
    op.create_index("post_thread", "post", ["thread", "due", "place"])
    op.create_index("post_posted", "post", ["posted_at"])


def _deliveries() -> None:
    op.create_table(
        "delivery",
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("at", TIME, nullable=False),
    )
    op.create_index("delivery_at", "delivery", ["at"])
