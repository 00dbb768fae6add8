"""The outbox: posts are recorded here, together with what they are about, before anything is said to Slack.

`put_in` takes part in a transaction of another store: what was decided and what is to be said of it are kept together,
or neither. The poster (`bot.adapters.chat`) carries it to Slack, and records here what came of it.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Update, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.adapters.store.post_rows import CHANNELS, content_of, due_now, post_of, row_of, waiting_of
from bot.adapters.store.store import Store
from bot.adapters.store.tables_posts import posts as table
from bot.domain.posting import Lag, Post, Waiting

AT_ONCE = 200  # posts of one statement


def _nobody_waits() -> None:
    """Nobody is told at once: whoever carries posts looks again by the clock."""


class Outbox:
    """A `Posts` (bot.ports). Every call is one transaction, and raises StoreUnavailableError where it cannot be made.

    wake: called when there is something to do.
    """

    def __init__(self, store: Store, wake: Callable[[], None] = _nobody_waits) -> None:
        self._store, self.wake = store, wake

    async def put(self, posts: Sequence[Post], now: datetime) -> None:
        """The same key and content again does nothing; a root with new content is edited; a reply stays."""
        if not posts:
            return
        async with self._store.transaction() as connection:
            await self.put_in(connection, posts, now)
        self.wake()

    async def put_in(self, connection: AsyncConnection, posts: Sequence[Post], now: datetime) -> None:
        """The same within a transaction that is open."""
        for start in range(0, len(posts), AT_ONCE):
            await _put(connection, posts[start : start + AT_ONCE], now)

    async def due(self, now: datetime) -> tuple[Waiting, ...]:
        """What may be posted now, in its order; of a long queue its beginning."""
        async with self._store.snapshot() as connection:
            channels = (await connection.execute(CHANNELS)).scalars().all()
            found = [row for name in channels for row in await connection.execute(due_now(name, now))]
        return tuple(map(waiting_of, found))

    async def get(self, key: str) -> Post | None:
        """As it should stand."""
        async with self._store.snapshot() as connection:
            row = (await connection.execute(select(table).where(table.c.key == key))).first()
        return None if row is None else post_of(row)

    async def trying(self, one: Waiting, channel: str, now: datetime) -> bool:
        """From now on it is not known whether it was posted there; False where somebody else is about to."""
        before = table.c.tried_at.is_(None) if one.tried_at is None else table.c.tried_at == one.tried_at
        mine = update(table).where(table.c.key == one.key, table.c.ts == "", before)
        return await self._changed(mine.values(tried_at=now, posted_channel=channel))

    async def stands(self, key: str, ts: str, channel: str, digest: str, now: datetime) -> None:
        """It is in Slack, with the content of that digest (empty: with one that is not known)."""
        done = {"ts": ts, "posted_channel": channel, "posted_at": now, "posted_digest": digest}
        rest = {"tried_at": None, "not_before": None, "tries": 0, "due": table.c.digest != digest}
        await self._changed(update(table).where(table.c.key == key).values(**done, **rest))

    async def not_posted(self, key: str, not_before: datetime | None, *, counts: bool = True) -> None:
        """It is not in Slack; to be tried again, not before that. counts: as one more failure of its own."""
        failed = {"tried_at": None, "not_before": not_before}
        tries = table.c.tries + 1 if counts else table.c.tries
        await self._changed(update(table).where(table.c.key == key).values(**failed, tries=tries))

    async def given_up(self, key: str, now: datetime) -> None:
        """Where it belongs is gone in Slack: there is nothing to do until its content changes."""
        over = {"posted_digest": table.c.digest, "due": False, "posted_at": now, "tried_at": None, "not_before": None}
        await self._changed(update(table).where(table.c.key == key).values(**over))

    async def lag(self, now: datetime) -> Lag:
        ask = select(func.count(), func.min(table.c.due_since)).where(table.c.due)
        async with self._store.snapshot() as connection:
            waiting, oldest = (await connection.execute(ask)).one()
        return Lag(waiting=waiting, oldest_seconds=(now - oldest).total_seconds() if oldest else 0.0)

    async def prune(self, now: datetime, *, days: int) -> int:
        """Forget threads in which nothing was said for so many days; how many posts were forgotten."""
        before = now - timedelta(days=days)
        reply = table.alias("reply")
        alive = select(reply.c.key).where(reply.c.thread == table.c.key, reply.c.due | (reply.c.posted_at >= before))
        old = delete(table).where(~table.c.due, table.c.posted_at < before, ~alive.exists())
        async with self._store.transaction() as connection:
            return (await connection.execute(old)).rowcount

    async def _changed(self, statement: Update) -> bool:
        async with self._store.transaction() as connection:
            return (await connection.execute(statement)).rowcount == 1


async def _put(connection: AsyncConnection, posts: Sequence[Post], now: datetime) -> None:
    """Those that are new together, edits one by one. Of two with one key in a batch the second counts as later."""
    place = (await connection.execute(select(func.coalesce(func.max(table.c.place), 0)))).scalar_one()
    ask = select(table.c.key, table.c.digest, table.c.due).where(table.c.key.in_({post.key for post in posts}))
    known = {row.key: (row.digest, row.due) for row in await connection.execute(ask.with_for_update())}
    new: dict[str, dict[str, Any]] = {}
    for number, post in enumerate(posts, start=place + 1):
        if post.key in known:
            digest, due = known[post.key]
            if not post.thread and digest != post.digest:
                await _edit(connection, post, number, now, waits=due)
        elif post.key not in new:
            new[post.key] = row_of(post, number, now)
        elif not post.thread:
            new[post.key] |= content_of(post)
    if new:
        await connection.execute(insert(table), list(new.values()))


async def _edit(connection: AsyncConnection, post: Post, place: int, now: datetime, *, waits: bool) -> None:
    """One that waits keeps its place; one that stands in Slack as it was again is not due any more."""
    its_place = {} if waits else {"place": place, "due_since": now}
    values = {**content_of(post), **its_place, "due": table.c.posted_digest != post.digest, "tries": 0}
    untried = (table.c.ts == "") & table.c.tried_at.is_(None)
    await connection.execute(update(table).where(table.c.key == post.key, untried).values(channel=post.channel))
    await connection.execute(update(table).where(table.c.key == post.key).values(**values))
