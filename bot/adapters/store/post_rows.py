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


CHANNELS = select(posts.c.channel).where(posts.c.due).distinct()


def due_now(channel: str, now: datetime) -> Select[Any]:
    """The first of a channel that may be posted now: not before its time, no reply before its root or out of turn."""
    columns = [posts.c[name] for name in Waiting.__struct_fields__ if not name.startswith("root_")]
    root = [func.coalesce(_root.c[name], "").label(f"root_{name.removeprefix('posted_')}") for name in _OF_ROOT]
    rooted = or_(_root.c.key.is_(None), _root.c.ts != "")
    ready = or_(posts.c.not_before.is_(None), posts.c.not_before <= now)
    return (
        select(*columns, *root)
        .select_from(posts.outerjoin(_root, and_(posts.c.thread != "", _root.c.key == posts.c.thread)))
        .where(posts.c.due, posts.c.channel == channel, rooted, ready, or_(posts.c.thread == "", ~_earlier()))
        .order_by(posts.c.urgent.desc(), posts.c.place)
        .limit(AT_MOST_OF_A_CHANNEL)
    )


def _earlier() -> Any:
    """Whether another reply of the thread has waited longer."""
    other = posts.alias("other")
    same = (other.c.thread == posts.c.thread, other.c.due, other.c.place < posts.c.place)
    return select(other.c.key).where(*same).exists()
