"""Posts as rows, and back; the statements about them."""

from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Row, Select, and_, func, or_, select

from bot.adapters.store.tables_posts import posts
from bot.domain.posting import Post, Waiting

AT_MOST_OF_A_CHANNEL = 100  # that are looked at together, so that a long queue stands in nobody else's way
_root = posts.alias("root")
_OF_ROOT = ("ts", "posted_channel")


def row_of(post: Post, place: int, now: datetime) -> dict[str, Any]:
    """One that nobody knew before."""
    return {
        "key": post.key,
        "place": place,
        "channel": post.channel,
        "thread": post.thread,
        **content_of(post),
        "broadcast": post.broadcast,
        "posted_digest": "",
        "due": True,
        "due_since": now,
        "not_before": None,
        "tried_at": None,
        "tries": 0,
        "ts": "",
        "posted_channel": "",
        "posted_at": None,
    }


def content_of(post: Post) -> dict[str, Any]:
    """What of it may change."""
    blocks = msgspec.json.encode(post.blocks).decode()
    return {"text": post.text, "blocks": blocks, "urgent": post.urgent, "digest": post.digest}


def post_of(row: Row[Any]) -> Post:
    return Post(
        key=row.key,
        channel=row.channel,
        text=row.text,
        blocks=msgspec.json.decode(row.blocks),
        thread=row.thread,
        urgent=row.urgent,
        broadcast=row.broadcast,
    )


def waiting_of(row: Row[Any]) -> Waiting:
    fields: dict[str, Any] = {name: getattr(row, name) for name in Waiting.__struct_fields__}
    return Waiting(**fields)


def due_now(now: datetime) -> Select[Any]:
    """The first of each channel that may be posted now: not before its time, and no reply before its root."""
    columns = [posts.c[name] for name in Waiting.__struct_fields__ if not name.startswith("root_")]
    rank = func.row_number().over(partition_by=posts.c.channel, order_by=(posts.c.urgent.desc(), posts.c.place))
    rooted = or_(_root.c.key.is_(None), _root.c.ts != "")
    ready = or_(posts.c.not_before.is_(None), posts.c.not_before <= now)
    root = [func.coalesce(_root.c[name], "").label(f"root_{name.removeprefix('posted_')}") for name in _OF_ROOT]
    found = (
        select(*columns, *root, rank.label("rank"))
        .select_from(posts.outerjoin(_root, and_(posts.c.thread != "", _root.c.key == posts.c.thread)))
        .where(posts.c.due, rooted, ready, _no_earlier())
        .subquery()
    )
    return select(found).where(found.c.rank <= AT_MOST_OF_A_CHANNEL).order_by(found.c.place)


def _no_earlier() -> Any:
    """Of a thread, only the reply that has waited longest."""
    other = posts.alias("other")
    earlier = select(other.c.key).where(other.c.due, other.c.thread == posts.c.thread, other.c.place < posts.c.place)
    return or_(posts.c.thread == "", ~earlier.exists())
