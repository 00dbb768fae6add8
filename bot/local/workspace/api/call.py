"""One call of the Web API: its arguments, however they travelled, and the workspace that it acts on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.local.workspace.backend import Backend
from bot.local.workspace.directory import Room
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.messages import Json
from bot.local.workspace.setup import BOT_USER_ID

NESTED = frozenset({"blocks", "view", "metadata", "attachments"})


@dataclass(frozen=True, slots=True)
class Call:
    """`arguments` unknown to a method are accepted and ignored, as Slack does (Bolt adds some)."""

    backend: Backend
    arguments: Json

    def get(self, name: str, default: Any = None) -> Any:
        value = self.arguments.get(name)
        return default if value is None else value

    def required(self, name: str) -> str:
        """Raises WorkspaceError `invalid_arguments`."""
        value = self.get(name, "")
        if value in ("", None):
            raise WorkspaceError("invalid_arguments", [f"[ERROR] missing required field: {name}"])
        return str(value)

    def flag(self, name: str) -> bool:
        return str(self.get(name, "")).lower() in ("true", "1")

    def whole(self, name: str, default: int) -> int:
        value = str(self.get(name, default))
        if not value.isdigit():
            raise WorkspaceError("invalid_arguments", [f"[ERROR] must be an integer: {name}"])
        return int(value)

    def room(self) -> Room:
        """The channel argument, as far as the bot can see it; a user id means the direct message."""
        which = self.required("channel")
        if which in self.backend.directory.users:
            return self.backend.directory.dm(which)
        return self.backend.directory.room_for(BOT_USER_ID, which)

    def joined_room(self) -> Room:
        """The channel argument, when the bot is a member. Raises `not_in_channel` or `channel_not_found`."""
        room = self.room()
        if BOT_USER_ID not in room.members:
            raise WorkspaceError("not_in_channel")
        return room

    def open_room(self) -> Room:
        """The same, to post in. Raises `is_archived`, too."""
        room = self.joined_room()
        if room.is_archived:
            raise WorkspaceError("is_archived")
        return room


Method = Callable[[Call], Json]


async def arguments_of(request: web.Request) -> Json:
    """From the query, a form or a JSON body; nested values of forms are decoded. Raises WorkspaceError."""
    arguments: Json = dict(request.query)
    if request.content_type == "application/json":
        try:
            body = await request.json()
        except json.JSONDecodeError as broken:
            raise WorkspaceError("invalid_json") from broken
        if not isinstance(body, dict):
            raise WorkspaceError("json_not_object")
        arguments |= body
    elif request.method == "POST":
        arguments |= dict(await request.post())
    return {name: decoded(name, value) for name, value in arguments.items()}


def decoded(name: str, value: Any) -> Any:
    if name not in NESTED or not isinstance(value, str) or not value:
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError as broken:
        error = "invalid_blocks_format" if name == "blocks" else "invalid_arguments"
        raise WorkspaceError(error, [f"[ERROR] {name} is not JSON"]) from broken
