"""How fast Slack is spoken to, and where not: about one message a second and channel, edits at some fifty a minute.

docs.slack.dev/apis/web-api/rate-limits: posting is limited per channel, `chat.update` over all messages (tier 3).
"""

from datetime import datetime, timedelta

from bot.domain.posting import Waiting

OF_A_CHANNEL = timedelta(seconds=1.05)
OF_EDITS = timedelta(seconds=1.25)
OF_ONE_MESSAGE = timedelta(seconds=3)  # what changes faster is told as it is then
BROKEN = timedelta(minutes=5)  # a channel that we cannot post in is tried again after that


class Pace:
    """What may be done when. Knows nothing after a restart: Slack tells then."""

    def __init__(self) -> None:
        self._channels: dict[str, datetime] = {}
        self._edits: datetime | None = None
        self._everything: datetime | None = None
        self._broken: dict[str, datetime] = {}

    def stopped(self, now: datetime) -> bool:
        """Whether nothing at all is said now."""
        return self._everything is not None and now < self._everything

    def broken(self, channel: str, now: datetime) -> bool:
        """Whether we know that we cannot post there."""
        return channel in self._broken and now < self._broken[channel]

    def may(self, one: Waiting, channel: str, now: datetime) -> bool:
        if now < self._channels.get(channel, now):
            return False
        if not one.ts:
            return True
        rested = one.posted_at is None or now >= one.posted_at + OF_ONE_MESSAGE
        return rested and (self._edits is None or now >= self._edits)

    def said(self, one: Waiting, channel: str, now: datetime) -> None:
        """Something is said there now."""
        self._channels[channel] = now + OF_A_CHANNEL
        if one.ts:
            self._edits = now + OF_EDITS

    def slow(self, one: Waiting, channel: str, now: datetime, seconds: float) -> None:
        """Slack said to wait."""
        until = now + timedelta(seconds=seconds)
        self._channels[channel] = until
        if one.ts:
            self._edits = until

    def stop(self, now: datetime, seconds: float) -> None:
        self._everything = now + timedelta(seconds=seconds)

    def broke(self, channel: str, now: datetime) -> bool:
        """We cannot post there; whether that is news."""
        news = channel not in self._broken
        self._broken[channel] = now + BROKEN
        return news

    def mended(self, channel: str) -> bool:
        """We can; whether that is news."""
        return self._broken.pop(channel, None) is not None
