"""The Events API over Socket Mode: what the app hears, and hears again when it did not acknowledge.

Facts: https://docs.slack.dev/apis/events-api/ (up to three more deliveries: at once, after one and after five minutes),
slackapi/bolt-python pull request 1498 (attempt and reason travel in the envelope).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bot.local.workspace.directory import Directory
from bot.local.workspace.ids import Ids
from bot.local.workspace.messages import Json, Post
from bot.local.workspace.setup import APP_ID, BOT_ID, BOT_USER_ID, SLACKBOT_ID, TEAM_ID
from bot.local.workspace.sockets import Sockets

REASONS = {"operation_timeout": "timeout", "dispatch_failed": "connection_failed"}


class Events:
    def __init__(self, sockets: Sockets, directory: Directory, ids: Ids, clock: Callable[[], float]) -> None:
        self.redelivery_delays_seconds: tuple[float, ...] = (0.0, 60.0, 300.0)
        self._sockets = sockets
        self._directory = directory
        self._ids = ids
        self._clock = clock
        self._deliveries: set[asyncio.Task[None]] = set()

    def posted(self, post: Post) -> None:
        """A message was posted, by a person or by the bot itself: whoever is in the channel hears it."""
        room = self._directory.room(post.channel)
        if post.ephemeral_to is not None or BOT_USER_ID not in room.members or post.user == SLACKBOT_ID:
            return
        spoken = {**message_fields(post), "channel_type": room.channel_type, "event_ts": post.ts}
        self.emit({"type": "message", **spoken})
        if f"<@{BOT_USER_ID}" in post.text and not room.is_dm and post.user != BOT_USER_ID:
            self.emit({**spoken, "type": "app_mention"})

    def changed(self, post: Post) -> None:
        self._altered(post, {"subtype": "message_changed", "message": {"type": "message", **message_fields(post)}})

    def deleted(self, post: Post) -> None:
        gone = {"type": "message", **message_fields(post)}
        self._altered(post, {"subtype": "message_deleted", "deleted_ts": post.ts, "previous_message": gone})

    def home_opened(self, user: str) -> None:
        channel = self._directory.dm(user).id
        self.emit({"type": "app_home_opened", "user": user, "channel": channel, "tab": "home"})

    def emit(self, event: Json) -> None:
        """Sends an event in the background, with redelivery."""
        task = asyncio.create_task(self._deliver(self._envelope(event)))
        self._deliveries.add(task)
        task.add_done_callback(self._deliveries.discard)

    async def stop(self) -> None:
        """Gives up what is still to be delivered."""
        for task in self._deliveries:
            task.cancel()
        await asyncio.gather(*self._deliveries, return_exceptions=True)

    async def _deliver(self, payload: Json) -> None:
        reason = ""
        for attempt, delay_seconds in enumerate((0.0, *self.redelivery_delays_seconds)):
            if delay_seconds:
                await asyncio.sleep(delay_seconds)
            ack = await self._sockets.deliver("events_api", payload, retry=(attempt, reason))
            if ack.error is None:
                return
            reason = REASONS[ack.error]

    def _altered(self, post: Post, what: Json) -> None:
        room = self._directory.room(post.channel)
        if post.ephemeral_to is None and BOT_USER_ID in room.members:
            place = {"channel": room.id, "channel_type": room.channel_type, "ts": post.changed}
            self.emit({"type": "message", "hidden": True, **place, **what})

    def _envelope(self, event: Json) -> Json:
        now = self._clock()
        return {
            "team_id": TEAM_ID,
            "api_app_id": APP_ID,
            "type": "event_callback",
            "event_id": self._ids.next("Ev"),
            "event_time": int(now),
            "event": {"event_ts": f"{now:.6f}", **event},
            "authorizations": [{"team_id": TEAM_ID, "user_id": BOT_USER_ID, "is_bot": True}],
            "is_ext_shared_channel": False,
        }


def message_fields(post: Post) -> Json:
    """A message as it stands in events, in histories and in interaction payloads."""
    fields: Json = {"user": post.user, "text": post.text, "ts": post.ts, "channel": post.channel, "team": TEAM_ID}
    if post.blocks:
        fields["blocks"] = post.blocks
    if post.thread_ts:
        fields["thread_ts"] = post.thread_ts
    if post.user == BOT_USER_ID:
        fields |= {"bot_id": BOT_ID, "app_id": APP_ID}
    if post.edited:
        fields["edited"] = {"user": post.user, "ts": post.edited}
    if post.reactions:
        fields["reactions"] = [
            {"name": name, "users": users, "count": len(users)} for name, users in post.reactions.items()
        ]
    return fields
