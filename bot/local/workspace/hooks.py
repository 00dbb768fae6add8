"""response_url: five answers within thirty minutes, to the person alone unless the app says otherwise.

Facts: https://docs.slack.dev/interactivity/handling-user-interaction (response_url).
"""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from bot.local.workspace.backend import Backend
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.grants import ReplyGrant
from bot.local.workspace.messages import Json


class Hooks:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def answer(self, request: web.Request) -> web.Response:
        """POST /hooks/{secret}; answers 404 `expired_url` or `used_url`, 400 for content that cannot be shown."""
        message = await body_of(request)
        self._backend.journal.note("in", "response_url", message)
        try:
            grant = self._backend.grants.use_reply(request.match_info["secret"])
        except WorkspaceError as gone:
            return web.json_response({"ok": False, "error": gone.error}, status=404)
        try:
            self._apply(grant, message)
        except WorkspaceError as fault:
            return web.json_response(
                {"ok": False, "error": fault.error, "response_metadata": {"messages": list(fault.messages)}}, status=400
            )
        return web.Response(text="ok")

    def _apply(self, grant: ReplyGrant, message: Json) -> None:
        timeline, posting = self._backend.timeline, self._backend.posting
        original = timeline.find(grant.original) if grant.original and timeline.holds(grant.original) else None
        if message.get("delete_original"):
            if original is None:
                raise WorkspaceError("message_not_found")
            posting.delete(original)
        elif message.get("replace_original") and original is not None:
            posting.replace(original, message, metadata=message.get("metadata"))
        else:
            private = message.get("response_type", "ephemeral") != "in_channel"
            post = posting.post(
                grant.channel,
                message,
                ephemeral_to=grant.user if private else None,
                thread_ts=message.get("thread_ts"),
                metadata=message.get("metadata"),
            )
            grant.original = grant.original or post.ts


async def body_of(request: web.Request) -> Json:
    """JSON, or the form field `payload`; anything else is an empty message."""
    text = await request.text()
    if text.startswith("payload="):
        text = str((await request.post()).get("payload", ""))
    try:
        body: Any = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return body if isinstance(body, dict) else {}
