"""Says when gpubot is blind, and when it sees again: in Slack, and by the second channel where Slack would not do."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Protocol

import structlog

from bot.acting.blindness import SLACK, STORE, Blind, Heard, News, blind, news
from bot.domain.errors import UpstreamError
from bot.domain.posting import Post
from bot.domain.text import escape
from bot.ports import Clock, Posts

log = structlog.get_logger()
_MUTE = frozenset({SLACK, STORE})  # without these nothing is said in Slack


class Second(Protocol):
    """A channel besides Slack. firing: False when it is over. Raises ChatError."""

    async def say(self, source: str, text: str, *, firing: bool, since: datetime) -> None: ...


class Watchman:
    """listen: what every source says of itself now. posts and channel: Slack; second: for when Slack does not do."""

    def __init__(
        self,
        listen: Callable[[], Awaitable[Iterable[Heard]]],
        now: Clock,
        *,
        posts: Posts | None = None,
        channel: str = "",
        second: Second | None = None,
    ) -> None:
        self._listen, self._now, self._posts, self._channel, self._second = listen, now, posts, channel, second
        self._started_at = now()
        self._said_elsewhere: set[str] = set()
        self._unsaid: list[News] = []  # what the second channel did not take
        self.blind: dict[str, Blind] = {}

    @property
    def mute(self) -> bool:
        """Whether what goes wrong now could not be said in Slack: then nobody should hear a heartbeat."""
        return not _MUTE.isdisjoint(self.blind)

    async def look(self) -> tuple[News, ...]:
        """Look once, and say what is new."""
        now = self._now()
        after = blind(await self._listen(), self._started_at, now)
        found = news(self.blind, after, now)
        kept = {name: self.blind.get(name, one) for name, one in after.items()}
        self.blind = kept
        for one in found:
            log.warning("heard again" if one.over else "blind", source=one.blind.source, reason=one.blind.why)
            await self._in_slack(one, now)
        await self._elsewhere(found)
        return found

    async def _in_slack(self, one: News, now: datetime) -> None:
        """In the message in which it was said first; it waits there for as long as Slack does."""
        if self._posts is None or not self._channel:
            return
        key = f"blind/{one.blind.source}/{one.blind.since:%Y%m%dT%H%M%S}"
        try:
            await self._posts.put((Post(key=key, channel=self._channel, text=escape(one.text), urgent=True),), now)
        except UpstreamError as error:
            log.warning("blindness is not recorded", reason=str(error))

    async def _elsewhere(self, found: tuple[News, ...]) -> None:
        """Everything where there is no Slack channel for it; else what Slack cannot tell. Tried until it is taken."""
        if self._second is None:
            return
        waiting = [*self._unsaid, *(one for one in found if self._is_for_the_second(one))]
        self._unsaid = []
        for place, one in enumerate(waiting):
            try:
                since = one.blind.since
                await self._second.say(one.blind.source, one.text, firing=not one.over, since=since)
                self._said_elsewhere.add(one.blind.source)
            except UpstreamError as error:
                log.warning("the second channel does not take it", reason=str(error))
                self._unsaid = waiting[place:]
                return

    def _is_for_the_second(self, one: News) -> bool:
        """What was said there once is also ended there."""
        return not self._channel or self.mute or one.blind.source in _MUTE | self._said_elsewhere
