"""conversations.*: what the bot can see of channels, their members and their history."""

from __future__ import annotations

from typing import TypeVar

from bot.local.workspace.api.call import Call, Method
from bot.local.workspace.directory import Room
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.events import message_fields
from bot.local.workspace.messages import Json, Post
from bot.local.workspace.setup import BOT_USER_ID

Item = TypeVar("Item")


def info(call: Call) -> Json:
    return {"channel": described(call.room())}


def list_rooms(call: Call) -> Json:
    """Public channels and those private ones that the bot is in; `types` and `exclude_archived` choose."""
    kinds = set(str(call.get("types", "public_channel")).split(","))
    left_out = call.flag("exclude_archived")
    rooms = [room for room in call.backend.directory.rooms.values() if room.visible_to(BOT_USER_ID)]
    page, cursor = paged(
        call, [room for room in rooms if kind_of(room) in kinds and not (room.is_archived and left_out)]
    )
    return {"channels": [described(room) for room in page], **cursor}


def members(call: Call) -> Json:
    page, cursor = paged(call, sorted(call.room().members))
    return {"members": page, **cursor}


def open_dm(call: Call) -> Json:
    """A direct message with one person; raises `user_not_found`, or `not_supported` for several."""
    users = call.required("users").split(",")
    if len(users) != 1:
        raise WorkspaceError("method_not_supported_for_channel_type")
    room = call.backend.directory.dm(call.backend.directory.user(users[0]).id)
    return {"channel": described(room)}


def join(call: Call) -> Json:
    room = call.room()
    room.members.add(BOT_USER_ID)
    return {"channel": described(room)}


def history(call: Call) -> Json:
    """Newest first, without ephemeral messages and without replies."""
    room = call.joined_room()
    posts = [post for post in call.backend.timeline.top_level(room.id, BOT_USER_ID) if within(call, post)]
    page, cursor = paged(call, posts[::-1])
    return {"messages": [listed(call, post) for post in page], **more(cursor)}


def replies(call: Call) -> Json:
    """The root and its replies, oldest first."""
    room = call.joined_room()
    root = call.backend.timeline.find(call.required("ts"))
    thread_ts = root.thread_ts or root.ts
    posts = call.backend.timeline.thread(room.id, BOT_USER_ID, thread_ts)
    if not posts:
        raise WorkspaceError("thread_not_found")
    page, cursor = paged(call, [post for post in posts if post.ts == thread_ts or within(call, post)])
    return {"messages": [listed(call, post) for post in page], **more(cursor)}


def within(call: Call, post: Post) -> bool:
    oldest, latest = str(call.get("oldest", "0")), str(call.get("latest", "9999999999"))
    inclusive = call.flag("inclusive")
    return oldest < post.ts < latest or (inclusive and post.ts in (oldest, latest))


def listed(call: Call, post: Post) -> Json:
    """A message of the history; metadata only when asked for."""
    fields = {"type": "message", **message_fields(post)}
    answers = call.backend.timeline.replies(post)
    if answers:
        fields |= {"thread_ts": post.ts, "reply_count": len(answers), "latest_reply": answers[-1].ts}
    if post.metadata and call.flag("include_all_metadata"):
        fields["metadata"] = post.metadata
    return fields


def paged(call: Call, items: list[Item]) -> tuple[list[Item], Json]:
    start, limit = call.whole("cursor", 0), call.whole("limit", 100)
    following = str(start + limit) if start + limit < len(items) else ""
    return items[start : start + limit], {"response_metadata": {"next_cursor": following}}


def more(cursor: Json) -> Json:
    return {**cursor, "has_more": bool(cursor["response_metadata"]["next_cursor"])}


def kind_of(room: Room) -> str:
    return "im" if room.is_dm else "private_channel" if room.is_private else "public_channel"


def described(room: Room) -> Json:
    if room.is_dm:
        person = next(iter(room.members - {BOT_USER_ID}))
        return {"id": room.id, "is_im": True, "is_channel": False, "is_private": True, "user": person, "is_open": True}
    return {
        "id": room.id,
        "name": room.name,
        "name_normalized": room.name,
        "is_channel": True,
        "is_group": room.is_private,
        "is_im": False,
        "is_private": room.is_private,
        "is_archived": room.is_archived,
        "is_member": BOT_USER_ID in room.members,
        "num_members": len(room.members),
        "topic": {"value": room.topic},
        "purpose": {"value": ""},
    }


METHODS: dict[str, Method] = {
    "conversations.info": info,
    "conversations.list": list_rooms,
    "conversations.members": members,
    "conversations.open": open_dm,
    "conversations.join": join,
    "conversations.history": history,
    "conversations.replies": replies,
}
