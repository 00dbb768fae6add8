"""reactions.add."""

from __future__ import annotations

import re

from bot.local.workspace.api.call import Call, Method
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.messages import Json
from bot.local.workspace.setup import BOT_USER_ID

EMOJI_NAME = re.compile(r"[a-z0-9_+'-]+(::skin-tone-[2-6])?")


def add(call: Call) -> Json:
    """Raises `invalid_name`, `message_not_found`, `already_reacted`."""
    room, name = call.joined_room(), call.required("name").strip(":")
    if not EMOJI_NAME.fullmatch(name):
        raise WorkspaceError("invalid_name")
    post = call.backend.timeline.find(call.required("timestamp"))
    if post.channel != room.id or post.ephemeral_to:
        raise WorkspaceError("message_not_found")
    call.backend.timeline.react(post, name, BOT_USER_ID)
    return {}


METHODS: dict[str, Method] = {"reactions.add": add}
