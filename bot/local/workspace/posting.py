"""The bot puts words on screens: what is checked first, what is kept, who hears of it."""

from __future__ import annotations

from typing import Any

from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.events import Events
from bot.local.workspace.messages import Json, Post
from bot.local.workspace.setup import BOT_USER_ID, SLACKBOT_ID
from bot.local.workspace.timeline import Timeline
from bot.local.workspace.validation import check_message_blocks, limits

Content = tuple[str, list[Json]]


class Posting:
    def __init__(self, timeline: Timeline, events: Events) -> None:
        self._timeline = timeline
        self._events = events

    def content(self, message: Json) -> Content:
        """Text and blocks of what the app sent. Raises WorkspaceError (`no_text`, `invalid_blocks`, ...)."""
        text, blocks = str(message.get("text") or ""), message.get("blocks") or []
        if blocks:
            check_message_blocks(blocks)
        if not text and not blocks:
            raise WorkspaceError("no_text")
        return text, with_block_ids(blocks)

    def post(
        self,
        channel: str,
        message: Json,
        *,
        ephemeral_to: str | None = None,
        thread_ts: str | None = None,
        metadata: Json | None = None,
    ) -> Post:
        """A new message of the bot; text beyond 40,000 characters is cut, as Slack does."""
        text, blocks = self.content(message)
        post = self._timeline.add(
            channel,
            BOT_USER_ID,
            text[: limits.MESSAGE_TEXT],
            blocks,
            thread_ts=self.thread_root(thread_ts),
            ephemeral_to=ephemeral_to,
            metadata=metadata,
        )
        self._events.posted(post)
        return post

    def replace(self, post: Post, message: Json, *, metadata: Json | None = None) -> None:
        """New content for a message: text without blocks removes the blocks and marks it as edited."""
        text, blocks = self.content(message)
        if len(text) > limits.MESSAGE_TEXT:
            raise WorkspaceError("msg_too_long")
        edited = not blocks and post.ephemeral_to is None
        self._timeline.change(post, text, blocks, edited=edited, metadata=metadata or post.metadata)
        self._events.changed(post)

    def delete(self, post: Post) -> None:
        self._timeline.delete(post)
        self._events.deleted(post)

    def notice(self, channel: str, user: str, text: str, *, thread_ts: str | None = None) -> Post:
        """What the workspace itself tells one person."""
        return self._timeline.add(channel, SLACKBOT_ID, text, ephemeral_to=user, thread_ts=thread_ts)

    def thread_root(self, thread_ts: str | None) -> str | None:
        """A reply to a reply belongs to the same thread; a thread needs a message."""
        if not thread_ts:
            return None
        if not self._timeline.holds(thread_ts):
            raise WorkspaceError("thread_not_found")
        return self._timeline.find(thread_ts).thread_ts or thread_ts


def with_block_ids(blocks: list[Any]) -> list[Json]:
    """Slack names every block that came without a block_id: by its place, so that a run can be repeated."""
    return [{**block, "block_id": block.get("block_id") or f"b{index}"} for index, block in enumerate(blocks)]
