"""chat.*: post, update, delete, permalinks."""

from __future__ import annotations

from bot.local.workspace.api.call import Call, Method
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.events import message_fields
from bot.local.workspace.messages import Json, Post
from bot.local.workspace.setup import BOT_USER_ID


def post_message(call: Call) -> Json:
    room = call.open_room()
    call.backend.rates.count(room.id)
    post = call.backend.posting.post(
        room.id, call.arguments, thread_ts=call.get("thread_ts"), metadata=call.get("metadata")
    )
    return {"channel": room.id, "ts": post.ts, "message": {"type": "message", **message_fields(post)}}


def post_ephemeral(call: Call) -> Json:
    room, user = call.open_room(), call.backend.directory.user(call.required("user"))
    if user.id not in room.members:
        raise WorkspaceError("user_not_in_channel")
    post = call.backend.posting.post(room.id, call.arguments, ephemeral_to=user.id, thread_ts=call.get("thread_ts"))
    return {"message_ts": post.ts}


def update(call: Call) -> Json:
    room = call.open_room()
    post = own_message(call, room.id, "cant_update_message")
    call.backend.posting.replace(post, call.arguments, metadata=call.get("metadata"))
    return {
        "channel": room.id,
        "ts": post.ts,
        "text": post.text,
        "message": {"type": "message", **message_fields(post)},
    }


def delete(call: Call) -> Json:
    room = call.joined_room()
    post = own_message(call, room.id, "cant_delete_message")
    call.backend.posting.delete(post)
    return {"channel": room.id, "ts": post.ts}


def get_permalink(call: Call) -> Json:
    room = call.room()
    post = call.backend.timeline.find(call.required("message_ts"))
    if post.channel != room.id or post.ephemeral_to:
        raise WorkspaceError("message_not_found")
    return {"channel": room.id, "permalink": permalink(call.backend.base_url, post)}


def own_message(call: Call, channel: str, refusal: str) -> Post:
    """A message of the bot in this channel; ephemeral ones cannot be found."""
    post = call.backend.timeline.find(call.required("ts"))
    if post.channel != channel or post.ephemeral_to is not None:
        raise WorkspaceError("message_not_found")
    if post.user != BOT_USER_ID:
        raise WorkspaceError(refusal)
    return post


def permalink(base_url: str, post: Post) -> str:
    return f"{base_url}/archives/{post.channel}/p{post.ts.replace('.', '')}"


METHODS: dict[str, Method] = {
    "chat.postMessage": post_message,
    "chat.postEphemeral": post_ephemeral,
    "chat.update": update,
    "chat.delete": delete,
    "chat.getPermalink": get_permalink,
}
