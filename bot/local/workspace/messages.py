"""A message as the workspace keeps it, and as a person sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """What one person sees. `changed` is the ts of the last change: pass it to `next_message` to wait for the next."""

    ts: str
    channel: str
    user: str
    text: str
    blocks: list[Json]
    thread_ts: str | None
    ephemeral_to: str | None
    edited: bool
    metadata: Json | None
    changed: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a command, click or form: `error` is a word (`operation_timeout`) or None when the app acked.

    `response` is the payload of the acknowledgement, if it carried one.
    """

    error: str | None
    response: Json | None
    acked_after_seconds: float


@dataclass(slots=True)
class Post:
    """A message in the store; only `Timeline` changes one."""

    ts: str
    channel: str
    user: str
    text: str
    blocks: list[Json]
    thread_ts: str | None = None
    ephemeral_to: str | None = None
    edited: str | None = None
    metadata: Json | None = None
    changed: str = ""
    reactions: dict[str, list[str]] = field(default_factory=dict)

    def seen(self) -> Message:
        """The immutable copy that callers get."""
        return Message(
            self.ts,
            self.channel,
            self.user,
            self.text,
            self.blocks,
            self.thread_ts,
            self.ephemeral_to,
            self.edited is not None,
            self.metadata,
            self.changed,
        )
