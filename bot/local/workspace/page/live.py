"""Server-sent events: what changes on one person's screen, as pieces of HTML."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

from aiohttp import web

from bot.local.workspace.backend import Backend
from bot.local.workspace.changes import Change
from bot.local.workspace.messages import Post
from bot.local.workspace.page.address import Address
from bot.local.workspace.page.modal_view import home, modal
from bot.local.workspace.page.timeline_view import day_line, message, reply_count, thread, timeline

Json = dict[str, Any]
KEEP_ALIVE_SECONDS = 15.0
RECONNECT_MILLISECONDS = 1000


class Live:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def stream(self, request: web.Request, address: Address) -> web.StreamResponse:
        """Until the page goes away or the workspace ends."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        with self._backend.changes.listen() as changes:
            try:
                await response.write(f"retry: {RECONNECT_MILLISECONDS}\n\n".encode())
                await send(response, self.first_piece(address, request.query.get("revision", "")))
                while (change := await next_change(changes)) is None or change.kind != "closing":
                    if change is None:
                        await response.write(b": still here\n\n")
                        continue
                    for piece in self.pieces(address, change):
                        await send(response, piece)
            except ConnectionResetError:
                return response
        return response

    def first_piece(self, address: Address, revision: str) -> Json:
        """Nothing but a greeting when the page shows the newest already."""
        if revision == str(self._backend.changes.revision):
            return {"kind": "ready"}
        return {"kind": "state", **self.everything(address)}

    def everything(self, address: Address) -> Json:
        """The whole screen: what a page shows after it was cut off for a while."""
        return {
            "timeline": timeline(self._backend, address),
            "thread": thread(self._backend, address),
            "modal": modal(self._backend, address.person),
            "home": home(self._backend, address.person) if address.room is None else "",
        }

    def pieces(self, address: Address, change: Change) -> Iterator[Json]:
        """What one change means for this screen."""
        if change.audience not in (None, address.person.id):
            return
        if change.kind == "view":
            yield {"kind": "view", "html": modal(self._backend, address.person)}
        elif change.kind == "home" and address.room is None:
            yield {"kind": "home", "html": home(self._backend, address.person)}
        elif change.kind == "deleted":
            yield {"kind": "deleted", "ts": change.ts}
        elif change.kind == "message":
            yield from self._message(address, change)

    def _message(self, address: Address, change: Change) -> Iterator[Json]:
        room = self._backend.directory.room(change.channel)
        if address.person.id not in room.members or not self._backend.timeline.holds(change.ts):
            return
        if address.room is None or room.id != address.room.id:
            count = self._backend.timeline.unread(address.person.id, room.id)
            yield {"kind": "unread", "channel": room.id, "count": count}
            return
        post = self._backend.timeline.find(change.ts)
        if address.thread_ts in (post.ts, post.thread_ts) and address.thread_ts:
            yield self._in_thread(address, post)
        if post.thread_ts is None or self._backend.timeline.holds(post.thread_ts):
            yield self._in_timeline(address, post)

    def _in_thread(self, address: Address, post: Post) -> Json:
        """One message of the open thread, so that a screen reader reads that one only."""
        posts = self._backend.timeline.thread(post.channel, address.person.id, address.thread_ts)
        place = posts.index(post)
        before = posts[place - 1] if place > 1 else None
        html = message(self._backend, address, post, before, in_thread=True)
        return {"kind": "reply", "ts": post.ts, "html": html, "count": reply_count(posts)}

    def _in_timeline(self, address: Address, post: Post) -> Json:
        """The message itself, or for a reply its root, whose count changes."""
        if post.thread_ts is not None:
            post = self._backend.timeline.find(post.thread_ts)
        posts = self._backend.timeline.top_level(post.channel, address.person.id)
        place = posts.index(post)
        html = message(self._backend, address, post, posts[place - 1] if place else None)
        return {"kind": "message", "ts": post.ts, "html": html, "day": day_line(self._backend, post)}


async def next_change(changes: asyncio.Queue[Change]) -> Change | None:
    """None after a quiet time, so that a page that went away is noticed."""
    try:
        return await asyncio.wait_for(changes.get(), KEEP_ALIVE_SECONDS)
    except TimeoutError:
        return None


async def send(response: web.StreamResponse, piece: Json) -> None:
    await response.write(f"data: {json.dumps(piece)}\n\n".encode())
