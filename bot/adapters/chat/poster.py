"""Carries the outbox to Slack: each post once, in order, no faster than Slack takes it, whatever happens in between.

Before a message is sent it is recorded that it is being tried. Who finds such a record later, after a crash or a call
without an answer, looks for the message in Slack first.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from bot.adapters.chat.choosing import Next, chosen
from bot.adapters.chat.pace import BROKEN, Pace
from bot.adapters.chat.speaker import plain
from bot.adapters.chat.trouble import ChatTroubleError, Trouble
from bot.adapters.cluster.backoff import Backoff
from bot.domain.posting import Post, Waiting
from bot.ports import Clock

log = structlog.get_logger()
CLOSED_SECONDS = 60.0  # Slack does not let us in: a person has to change that
LONGEST_TRY = timedelta(hours=1)


class _LaterError(Exception):
    """Nothing more can be done about that post now."""


class Box(Protocol):
    """What the poster needs of the outbox (bot.adapters.store.posts)."""

    async def put(self, posts: Sequence[Post], now: datetime) -> None: ...
    async def due(self, now: datetime) -> tuple[Waiting, ...]: ...
    async def get(self, key: str) -> Post | None: ...
    async def trying(self, one: Waiting, channel: str, now: datetime) -> bool: ...
    async def stands(self, key: str, ts: str, channel: str, digest: str, now: datetime) -> None: ...
    async def not_posted(self, key: str, not_before: datetime | None, *, counts: bool = True) -> None: ...
    async def given_up(self, key: str, now: datetime) -> None: ...


class Chat(Protocol):
    """What it needs of Slack (bot.adapters.chat.speaker)."""

    async def post(self, channel: str, thread_ts: str, post: Post) -> str: ...
    async def edit(self, channel: str, ts: str, post: Post) -> str: ...
    async def find(self, channel: str, thread_ts: str, key: str, since: datetime) -> str: ...


class Poster:
    """`step` says what can be said now. fallback: the channel for what its own channel does not take; empty: none.

    trouble: empty, or why nothing can be said. counts: what was done, by name.
    """

    def __init__(self, box: Box, chat: Chat, now: Clock, *, fallback: str = "", backoff: Backoff | None = None) -> None:
        self._box, self._chat, self._now, self._fallback = box, chat, now, fallback
        self._pace, self._backoff = Pace(), backoff or Backoff(2.0, 60.0)
        self._plain: set[tuple[str, str]] = set()  # key and digest of what is said in words alone
        self.trouble = ""
        self.counts: Counter[str] = Counter()

    async def step(self) -> int:
        """How many posts were taken up. Raises StoreUnavailableError."""
        now = self._now()
        if self._pace.stopped(now):
            return 0
        found = chosen(await self._box.due(now), self._pace, now, self._fallback)
        for there in found:
            self._pace.said(there.one, there.channel, now)
        await asyncio.gather(*(self._carried(there) for there in found))
        return len(found)

    async def _carried(self, there: Next) -> None:
        post = await self._box.get(there.one.key)
        if post is None:
            return
        try:
            await (self._edited(there, post) if there.one.ts else self._posted(there, post))
        except _LaterError:
            return
        except ChatTroubleError as error:
            await self._troubled(there, post, error)
        else:
            self._went_well(there.channel, post)

    async def _posted(self, there: Next, post: Post) -> None:
        one, now = there.one, self._now()
        if one.tried_at is not None and await self._found(there, post, one.tried_at):
            return
        if not await self._box.trying(one, there.channel, now):
            return  # another replica is about to
        ts = await self._chat.post(there.channel, there.thread_ts, self._as_taken(post))
        self.counts["posted"] += 1  # the call was made, whatever becomes of its record
        await self._box.stands(post.key, ts, there.channel, post.digest, self._now())

    async def _found(self, there: Next, post: Post, since: datetime) -> bool:
        """Whether it stands there already. Which content it has is not known; a reply has only one."""
        try:
            ts = await self._chat.find(there.channel, there.thread_ts, post.key, since)
        except ChatTroubleError as error:
            self._not_looked(there, error)
            return False
        if ts:
            await self._box.stands(post.key, ts, there.channel, post.digest if post.thread else "", self._now())
            self.counts["found again"] += 1
        return bool(ts)

    def _not_looked(self, there: Next, error: ChatTroubleError) -> None:
        """Raises _LaterError where looking may go better later. Who may not look at all says it again."""
        if error.trouble is Trouble.SLOW:
            self._pace.slow(there.one, there.channel, self._now(), error.retry_after_seconds)
            raise _LaterError
        if error.trouble in (Trouble.UNKNOWN, Trouble.CLOSED) and error.reason != "missing_scope":
            self._stop(error, self._backoff.next_seconds())
            raise _LaterError
        log.warning("it cannot be seen whether a post went out", key=there.one.key, reason=error.reason)

    async def _edited(self, there: Next, post: Post) -> None:
        await self._chat.edit(there.channel, there.one.ts, self._as_taken(post))
        self.counts["edited"] += 1
        await self._box.stands(post.key, there.one.ts, there.channel, post.digest, self._now())

    def _as_taken(self, post: Post) -> Post:
        """In words alone where Slack did not take how it looks."""
        return plain(post) if (post.key, post.digest) in self._plain else post

    async def _troubled(self, there: Next, post: Post, error: ChatTroubleError) -> None:
        self.counts[error.trouble.value] += 1
        one, now = there.one, self._now()
        match error.trouble:
            case Trouble.SLOW:
                self._pace.slow(one, there.channel, now, error.retry_after_seconds)
                await self._box.not_posted(one.key, None, counts=False)
            case Trouble.UNKNOWN:
                self._stop(error, self._backoff.next_seconds())
            case Trouble.CLOSED:
                await self._box.not_posted(one.key, None, counts=False)
                self._stop(error, CLOSED_SECONDS)
            case Trouble.NO_CHANNEL:
                await self._no_channel(there, error)
            case Trouble.GONE:
                log.info("a message is gone in slack", key=one.key, reason=error.reason)
                await self._box.given_up(one.key, now)
            case Trouble.UNFIT if post.blocks and (post.key, post.digest) not in self._plain:
                log.warning("slack does not take how a post looks", key=one.key, reason=error.reason)
                self._plain.add((post.key, post.digest))
                await self._box.not_posted(one.key, None)
            case Trouble.UNFIT | Trouble.OTHER:
                log.warning("slack does not take a post", key=one.key, reason=error.reason, tries=one.tries + 1)
                pause = min(LONGEST_TRY, timedelta(seconds=5.0 * 2.0 ** min(one.tries, 20)))
                await self._box.not_posted(one.key, now + pause)

    async def _no_channel(self, there: Next, error: ChatTroubleError) -> None:
        """Kept and tried again slowly; told once, in the log and in the channel that is for such things."""
        now = self._now()
        elsewhere = self._fallback and there.channel != self._fallback and not there.one.ts
        await self._box.not_posted(there.one.key, None if elsewhere else now + BROKEN, counts=False)
        if not self._pace.broke(there.channel, now):
            return
        log.error("a channel cannot be posted in", channel=there.channel, reason=error.reason)
        if elsewhere:
            await self._box.put((_told(there.channel, error.reason, self._fallback, now),), now)

    def _stop(self, error: ChatTroubleError, seconds: float) -> None:
        if not self.trouble:
            log.warning("nothing can be said in slack", reason=error.reason)
        self.trouble = error.reason
        self._pace.stop(self._now(), seconds)

    def _went_well(self, channel: str, post: Post) -> None:
        self._plain.discard((post.key, post.digest))
        if self.trouble:
            log.info("slack takes posts again")
        self.trouble = ""
        self._backoff.reset()
        if self._pace.mended(channel):
            log.info("a channel can be posted in again", channel=channel)


def _told(channel: str, reason: str, fallback: str, now: datetime) -> Post:
    """Once a day and channel at most, by its key."""
    text = (
        f"I cannot post in {channel} ({reason}). Until that is mended, what belongs there comes here. "
        "If I am not in that channel, invite me there; if it is archived or gone, name another in the settings."
    )
    return Post(key=f"no-channel/{channel}/{now:%Y-%m-%d}", channel=fallback, text=text)
