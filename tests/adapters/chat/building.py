"""An outbox in a file, a chat in memory that keeps Slack's rules, and a clock that is moved."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bot.adapters.chat.trouble import ChatTroubleError, Trouble
from bot.domain.posting import Post

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CHANNEL = "C0OPS"


class KilledError(BaseException):
    """As kill -9: nobody handles it."""


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class Said:
    """One message as it stands. at: when it was posted."""

    channel: str
    thread_ts: str
    key: str
    text: str
    at: datetime
    edits: int = 0


def nothing(what: str) -> None:
    del what


@dataclass
class FakeChat:
    """hook: called before and after each call takes effect, with its name; it may raise."""

    clock: Clock
    messages: dict[str, Said] = field(default_factory=dict)
    hook: Callable[[str], None] = nothing
    calls: list[str] = field(default_factory=list)

    async def post(self, channel: str, thread_ts: str, post: Post) -> str:
        self._call("post")
        if thread_ts and thread_ts not in self.messages:
            raise ChatTroubleError(Trouble.GONE, "thread_not_found")
        ts = f"{self.clock.now.timestamp():.0f}.{len(self.messages):06d}"
        self.messages[ts] = Said(channel, thread_ts, post.key, post.text, self.clock.now)
        self.hook("posted")
        return ts

    async def edit(self, channel: str, ts: str, post: Post) -> str:
        self._call("edit")
        if ts not in self.messages:
            raise ChatTroubleError(Trouble.GONE, "message_not_found")
        assert self.messages[ts].channel == channel
        self.messages[ts].text = post.text
        self.messages[ts].edits += 1
        self.hook("edited")
        return ts

    async def find(self, channel: str, thread_ts: str, key: str, since: datetime) -> str:
        self._call("find")
        mine = (
            ts
            for ts, one in self.messages.items()
            if (one.channel, one.thread_ts, one.key) == (channel, thread_ts, key)
        )
        return next(mine, "")

    def texts(self, channel: str = CHANNEL) -> list[str]:
        return [one.text for one in self.messages.values() if one.channel == channel]

    def _call(self, name: str) -> None:
        self.calls.append(name)
        self.hook(name)


def a_post(key: str = "incident/prod/1", text: str = "it burns", **more: object) -> Post:
    return Post(**{"key": key, "channel": CHANNEL, "text": text, **more})  # type: ignore[arg-type]  # as given


def a_reply(key: str, root: str = "incident/prod/1", **more: object) -> Post:
    return a_post(f"{root}/{key}", key, thread=root, **more)
