"""People act: they type commands and messages and press buttons; Slack tells the app and shows the answer."""

from __future__ import annotations

from typing import Any

from bot.local.workspace import payloads
from bot.local.workspace.backend import Backend
from bot.local.workspace.directory import Room
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.messages import Json, Outcome, Post
from bot.local.workspace.setup import BOT_USER_ID, SLACKBOT_ID, User
from bot.local.workspace.sockets import Ack
from bot.local.workspace.values import action_of, find_element

NOT_IN_THREADS = "slash_command_in_thread"
UNKNOWN_COMMAND = "unknown_command"


class People:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def slash(self, user: str, channel: str, text: str, *, thread_ts: str | None = None) -> Outcome:
        """A slash command. Only those of the manifest exist, and none of them in a thread."""
        person, room = self._at(user, channel)
        command, _, arguments = text.strip().partition(" ")
        refusal = self._refusal(command, thread_ts)
        if refusal is not None:
            self._backend.posting.notice(room.id, person.id, refusal[1], thread_ts=thread_ts)
            return Outcome(refusal[0], None, 0.0)
        secret = self._backend.grants.reply(person.id, room.id)
        grants = self._grants(person, secret)
        payload = payloads.slash_command(person, room, command, arguments.strip(), grants)
        ack = await self._backend.sockets.deliver("slash_commands", payload)
        error = ack.error or self._show_answer(person, room, secret, ack.payload)
        if error:
            self._backend.posting.notice(room.id, person.id, f"`{command}` failed with the error `{error}`")
        return Outcome(error, ack.payload, ack.after_seconds)

    async def say(self, user: str, channel: str, text: str, *, thread_ts: str | None = None) -> str:
        """A message in Slack's notation (`<@U…>`, `&lt;`); raises WorkspaceError `not_in_channel`. Returns its ts."""
        person, room = self._at(user, channel)
        if person.id not in room.members:
            raise WorkspaceError("not_in_channel")
        root = self._backend.posting.thread_root(thread_ts)
        post = self._backend.timeline.add(room.id, person.id, text, thread_ts=root)
        self._backend.events.posted(post)
        if f"<@{BOT_USER_ID}" in text and BOT_USER_ID not in room.members:
            bot = self._backend.setup.bot_name
            self._backend.posting.notice(
                room.id, person.id, f"{bot} is not in this channel and hears nothing here. `/invite @{bot}` lets it in."
            )
        return post.ts

    def join(self, member: str, channel: str) -> None:
        """Somebody is let into a channel: a person or the bot."""
        user, room = self._backend.directory.user(member), self._backend.directory.room(channel)
        if user.id not in room.members:
            room.members.add(user.id)
            self._backend.timeline.add(room.id, SLACKBOT_ID, f"<@{user.id}> joined the channel")

    async def click(
        self, user: str, message_ts: str, action_id: str, *, value: Any = None, block_id: str | None = None
    ) -> Outcome:
        """A button or menu of a message that this person sees. Raises LookupError when there is none."""
        person = self._backend.directory.user(user)
        post = self._seen_by(person, message_ts)
        block, element = find_element(post.blocks, action_id, block_id)
        action = action_of(block, element, value, post.changed)
        secret = self._backend.grants.reply(person.id, post.channel, post.ts)
        room = self._backend.directory.room(post.channel)
        payload = payloads.message_action(person, room, post, action, self._grants(person, secret))
        return outcome(await self._backend.sockets.deliver("interactive", payload))

    def _at(self, user: str, channel: str) -> tuple[User, Room]:
        person = self._backend.directory.user(user)
        return person, self._backend.directory.room_for(person.id, channel)

    def _seen_by(self, person: User, ts: str) -> Post:
        post = self._backend.timeline.find(ts)
        if post not in self._backend.timeline.visible(post.channel, person.id):
            raise WorkspaceError("message_not_found")
        return post

    def _refusal(self, command: str, thread_ts: str | None) -> tuple[str, str] | None:
        """The error and the words for a command that Slack does not even send."""
        if command not in {known.command for known in self._backend.setup.commands}:
            return UNKNOWN_COMMAND, f"`{command}` is not a command of this workspace."
        if thread_ts is not None:
            return NOT_IN_THREADS, f"`{command}` cannot be used in threads. Use it in the channel, or mention the bot."
        return None

    def _grants(self, person: User, secret: str) -> Json:
        return {
            "trigger_id": self._backend.grants.trigger(person.id),
            "response_url": f"{self._backend.base_url}/hooks/{secret}",
        }

    def _show_answer(self, person: User, room: Room, secret: str, payload: Json | None) -> str | None:
        """An acknowledgement may carry the answer; returns an error word when it cannot be shown."""
        if not payload or not (payload.get("text") or payload.get("blocks")):
            return None
        private = payload.get("response_type", "ephemeral") != "in_channel"
        try:
            post = self._backend.posting.post(room.id, payload, ephemeral_to=person.id if private else None)
        except WorkspaceError:
            return "invalid_command_response"
        self._backend.grants.look(secret).original = post.ts
        return None


def outcome(ack: Ack) -> Outcome:
    return Outcome(ack.error, ack.payload, ack.after_seconds)
