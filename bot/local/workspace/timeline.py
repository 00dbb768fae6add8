"""Every message of the workspace, and who sees which."""

from __future__ import annotations

from bot.local.workspace.changes import Change, Changes
from bot.local.workspace.directory import Directory
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.ids import Ids
from bot.local.workspace.messages import Json, Post


class Timeline:
    """Posts by ts. An ephemeral post is here too, but in nobody's history and on one person's screen only."""

    def __init__(self, directory: Directory, ids: Ids, changes: Changes) -> None:
        self._directory = directory
        self._ids = ids
        self._changes = changes
        self._posts: dict[str, Post] = {}
        self._of_channel: dict[str, list[Post]] = {}
        self._read: dict[tuple[str, str], str] = {}

    def add(
        self,
        channel: str,
        user: str,
        text: str,
        blocks: list[Json] | None = None,
        *,
        thread_ts: str | None = None,
        ephemeral_to: str | None = None,
        metadata: Json | None = None,
    ) -> Post:
        ts = self._ids.ts()
        post = Post(ts, channel, user, text, blocks or [], thread_ts, ephemeral_to, None, metadata, changed=ts)
        self._posts[ts] = post
        self._of_channel.setdefault(channel, []).append(post)
        self._changes.publish(Change("message", channel, ts, ephemeral_to))
        return post

    def change(self, post: Post, text: str, blocks: list[Json] | None, *, edited: bool, metadata: Json | None) -> None:
        """New content in place. `edited` is the mark that people see."""
        post.changed = self._ids.ts()
        post.text, post.blocks, post.metadata = text, blocks or [], metadata
        if edited:
            post.edited = post.changed
        self.touch(post)

    def react(self, post: Post, name: str, user: str) -> None:
        users = post.reactions.setdefault(name, [])
        if user in users:
            raise WorkspaceError("already_reacted")
        users.append(user)
        self.touch(post)

    def touch(self, post: Post) -> None:
        self._changes.publish(Change("message", post.channel, post.ts, post.ephemeral_to))

    def delete(self, post: Post) -> None:
        del self._posts[post.ts]
        self._of_channel[post.channel].remove(post)
        self._changes.publish(Change("deleted", post.channel, post.ts, post.ephemeral_to))

    def find(self, ts: str) -> Post:
        """Raises WorkspaceError `message_not_found`."""
        if ts not in self._posts:
            raise WorkspaceError("message_not_found")
        return self._posts[ts]

    def holds(self, ts: str) -> bool:
        return ts in self._posts

    def visible(self, channel: str, user: str) -> list[Post]:
        """All that this person sees in a channel, threads included, oldest first."""
        if not self._directory.room(channel).visible_to(user):
            return []
        return [post for post in self._of_channel.get(channel, []) if post.ephemeral_to in (None, user)]

    def top_level(self, channel: str, user: str) -> list[Post]:
        return [post for post in self.visible(channel, user) if post.thread_ts is None]

    def thread(self, channel: str, user: str, thread_ts: str) -> list[Post]:
        """The root and its replies."""
        return [post for post in self.visible(channel, user) if thread_ts in (post.ts, post.thread_ts)]

    def replies(self, root: Post) -> list[Post]:
        """Replies that everybody sees."""
        return [
            post
            for post in self._of_channel.get(root.channel, [])
            if post.thread_ts == root.ts and post.ephemeral_to is None
        ]

    def last_read(self, user: str, channel: str) -> str:
        return self._read.get((user, channel), "")

    def mark_read(self, user: str, channel: str) -> None:
        newest = self.visible(channel, user)[-1:]
        self._read[user, channel] = newest[0].ts if newest else ""

    def unread(self, user: str, channel: str) -> int:
        """Messages by others since this person last looked."""
        since = self.last_read(user, channel)
        return sum(post.ts > since and post.user != user for post in self.top_level(channel, user))
