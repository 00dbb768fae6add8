"""Changes on their way, the buttons' nonces, freezes, and the audit.

An audit row is kept as the very bytes that its digest is over, so that nothing about a database can change its meaning
unseen. The end of the chain stands in a row of its own: whoever adds to the audit takes that row's lock first, which
puts all writers of all replicas in one order.
"""

from sqlalchemy import Column, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

from bot.adapters.store.tables import UtcTime, metadata

changes = Table(
    "change",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("cluster", String(63), nullable=False),
    Column("state", String(20), nullable=False),
    Column("plan", Text, nullable=False),
    Column("requester", String(64), nullable=False),
    Column("workspace", String(64), nullable=False),
    Column("channel", String(64), nullable=False),
    Column("requested_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("needed", Integer, nullable=False),
    Column("approvals", Text, nullable=False),
    Column("nonce", String(64), nullable=False),
    Column("done", Integer, nullable=False),
    Column("applied_at", UtcTime),
    Column("told", Text, nullable=False),
    Column("undo_at", UtcTime),
    Column("audit_ids", Text, nullable=False),
    Index("change_state", "state"),
    Index("change_requested", "cluster", "requested_at"),
)

nonces = Table(
    "change_nonce",
    metadata,
    Column("nonce", String(64), primary_key=True),
    Column("change", Integer, ForeignKey("change.number", name="change_nonce_change"), nullable=False),
)

freezes = Table(
    "freeze",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("cluster", String(63), nullable=False),
    Column("by", String(64), nullable=False),
    Column("because", Text, nullable=False),
    Column("since", UtcTime, nullable=False),
    Column("until", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Index("freeze_until", "until"),
)

audit = Table(
    "audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
)

audit_end = Table(
    "audit_end",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),
)
