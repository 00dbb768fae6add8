"""Changes of clusters on their way, and the audit of everything that was asked and done."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _changes()
    _freezes()
    _audit()


def _changes() -> None:
    op.create_table(
        "change",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("cluster", sa.String(63), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("requester", sa.String(64), nullable=False),
        sa.Column("workspace", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(64), nullable=False),
        sa.Column("requested_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("needed", sa.Integer, nullable=False),
        sa.Column("approvals", sa.Text, nullable=False),
        sa.Column("nonce", sa.String(64), nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("applied_at", TIME),
        sa.Column("told", sa.Text, nullable=False),
        sa.Column("undo_at", TIME),
        sa.Column("audit_ids", sa.Text, nullable=False),
    )
    op.create_index("change_state", "change", ["state"])
    op.create_index("change_requested", "change", ["cluster", "requested_at"])
    op.create_table(
        "change_nonce",
        sa.Column("nonce", sa.String(64), primary_key=True),
        sa.Column("change", sa.Integer, sa.ForeignKey("change.number", name="change_nonce_change"), nullable=False),
    )


def _freezes() -> None:
    op.create_table(
        "freeze",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("cluster", sa.String(63), nullable=False),
        sa.Column("by", sa.String(64), nullable=False),
        sa.Column("because", sa.Text, nullable=False),
        sa.Column("since", TIME, nullable=False),
        sa.Column("until", TIME, nullable=False),
        sa.Column("ended_at", TIME),
    )
    op.create_index("freeze_until", "freeze", ["until"])


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    end = op.create_table(
        "audit_end",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.bulk_insert(end, [{"id": 1, "number": 0, "digest": b"0" * 64}])  # where the chain begins
