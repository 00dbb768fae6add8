"""What is to stand in Slack and what stands there, and which deliveries of Slack were acted on.

`place` is the order in which posts became due. `digest` is of the content that should stand, `posted_digest` of what
does: where they differ, something is to be done. `tried_at` is set while it is not known whether a message was posted.
"""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table, Text

from bot.adapters.store.tables import UtcTime, metadata

posts = Table(
    "post",
    metadata,
    Column("key", String(255), primary_key=True),
    Column("place", Integer, nullable=False),
    Column("channel", String(64), nullable=False),
    Column("thread", String(255), nullable=False),
    Column("text", Text, nullable=False),
    Column("blocks", Text, nullable=False),
    Column("urgent", Boolean, nullable=False),
    Column("broadcast", Boolean, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("posted_digest", String(64), nullable=False),
    Column("due", Boolean, nullable=False),
    Column("due_since", UtcTime, nullable=False),
    Column("not_before", UtcTime),
    Column("tried_at", UtcTime),
    Column("tries", Integer, nullable=False),
    Column("ts", String(32), nullable=False),
    Column("posted_channel", String(64), nullable=False),
    Column("posted_at", UtcTime),
    Index("post_due", "due", "channel", "urgent", "place"),
    Index("post_place", "place"),
    Index("post_thread", "thread", "due", "place"),
    Index("post_posted", "posted_at"),
)

deliveries = Table(
    "delivery",
    metadata,
    Column("key", String(255), primary_key=True),
    Column("at", UtcTime, nullable=False),
    Index("delivery_at", "at"),
)
