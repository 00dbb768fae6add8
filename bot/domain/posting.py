"""What is to stand in a channel: recorded before it is posted, so that nothing is lost and nothing doubled.

A root is edited in place each time its content changes; a reply is posted once. Both are named by a key of ours, which
travels in the message's metadata: a bot that died between posting and recording finds its own message again.
"""

import hashlib
from datetime import datetime
from typing import Any

import msgspec


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """key: unique for ever, such as `incident/prod/12`. thread: the key of the root it answers to; empty: a root.

    text and blocks: as Slack takes them. urgent posts go before others of their channel, in order within a thread.
    broadcast: a reply that the channel sees, too.
    """

    key: str
    channel: str
    text: str
    blocks: list[dict[str, Any]] = []
    thread: str = ""
    urgent: bool = False
    broadcast: bool = False

    @property
    def digest(self) -> str:
        """The same for what looks the same."""
        return hashlib.sha256(msgspec.json.encode((self.text, self.blocks), order="deterministic")).hexdigest()


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A post that is to be made, or to be edited, without its content.

    ts: Slack's name of the message, where it stands already; then it is to be edited. posted_channel: where it stands,
    or where it was tried. tried_at: set where it is not known whether it was posted. root_ts and root_channel: where
    the root of its thread stands; empty for a root, and for a reply whose root was never recorded.
    """

    key: str
    place: int
    channel: str
    thread: str = ""
    urgent: bool = False
    due_since: datetime
    not_before: datetime | None = None
    tried_at: datetime | None = None
    tries: int = 0
    ts: str = ""
    posted_channel: str = ""
    posted_at: datetime | None = None
    root_ts: str = ""
    root_channel: str = ""


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How far Slack is behind what is recorded."""

    waiting: int = 0
    oldest_seconds: float = 0.0
