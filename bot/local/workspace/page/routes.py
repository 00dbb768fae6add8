"""The page's addresses: the document, its static files, the live stream, and what people do."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.local.workspace.backend import Backend
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.forms import Forms
from bot.local.workspace.messages import Outcome
from bot.local.workspace.page.address import read_address
from bot.local.workspace.page.live import Live
from bot.local.workspace.page.shell import document
from bot.local.workspace.page.typed import to_wire
from bot.local.workspace.people import People

Deed = Callable[[dict[str, Any]], Awaitable[Outcome]]

STATIC = Path(__file__).parent.parent / "static"


class Page:
    def __init__(self, backend: Backend, people: People, forms: Forms) -> None:
        self._backend = backend
        self._people = people
        self._forms = forms
        self._live = Live(backend)
        self._deeds: dict[str, Deed] = {
            "send": self._send,
            "press": self._press,
            "submit": self._submit,
            "close": self._close,
            "read": self._read,
        }

    def add_to(self, app: web.Application) -> None:
        app.router.add_get("/", self.show)
        app.router.add_get("/live", self.live)
        app.router.add_get("/archives/{channel}/p{ts:[0-9]{16}}", self.permalink)
        app.router.add_static("/static", STATIC)
        app.router.add_post("/act/{name}", self.act)

    async def show(self, request: web.Request) -> web.Response:
        address = read_address(self._backend, request.query)
        html = document(self._backend, address)
        if address.room is None:
            self._backend.events.home_opened(address.person.id)
        else:
            self._backend.timeline.mark_read(address.person.id, address.room.id)
        return web.Response(text=html, content_type="text/html")

    async def live(self, request: web.Request) -> web.StreamResponse:
        return await self._live.stream(request, read_address(self._backend, request.query))

    async def permalink(self, request: web.Request) -> web.Response:
        """A message's own address leads to its channel, or into its thread."""
        digits = request.match_info["ts"]
        ts = f"{digits[:-6]}.{digits[-6:]}"
        address = read_address(self._backend, {**request.query, "in": request.match_info["channel"]})
        root = self._backend.timeline.find(ts).thread_ts if self._backend.timeline.holds(ts) else None
        target = address.at(address.room, root or "")
        raise web.HTTPFound(target.href(anchor=f"#{'t' if root else 'm'}-{ts}"))

    async def act(self, request: web.Request) -> web.Response:
        """POST /act/{name} with JSON; answers `error` (a word or null) and the app's `response`."""
        deed = self._deeds.get(request.match_info["name"])
        if deed is None:
            raise web.HTTPNotFound
        try:
            outcome = await deed(await request.json())
        except json.JSONDecodeError as broken:
            raise web.HTTPBadRequest from broken
        except (WorkspaceError, LookupError) as refusal:
            error = refusal.error if isinstance(refusal, WorkspaceError) else "element_not_found"
            return web.json_response({"error": error, "response": None})
        return web.json_response({"error": outcome.error, "response": outcome.response})

    async def _send(self, body: dict[str, Any]) -> Outcome:
        user, channel, text = str(body["as"]), str(body["channel"]), str(body["text"]).strip()
        thread_ts = str(body.get("thread") or "") or None
        if text.startswith("/invite "):
            self._invite(user, channel, text)
        elif text.startswith("/"):
            wired = to_wire(text, self._backend.directory)
            return await self._people.slash(user, channel, wired, thread_ts=thread_ts)
        elif text:
            await self._people.say(user, channel, to_wire(text, self._backend.directory), thread_ts=thread_ts)
        return DONE

    def _invite(self, user: str, channel: str, text: str) -> None:
        person = self._backend.directory.user(user)
        room = self._backend.directory.room_for(person.id, channel)
        self._people.join(text.removeprefix("/invite ").strip(), room.id)

    async def _press(self, body: dict[str, Any]) -> Outcome:
        user, action, block = str(body["as"]), str(body["action"]), str(body["block"])
        if body.get("view"):
            return await self._forms.click(
                user,
                str(body["view"]),
                action,
                value=body.get("value"),
                block_id=block,
                values=body.get("values") or {},
            )
        return await self._people.click(user, str(body["ts"]), action, value=body.get("value"), block_id=block)

    async def _submit(self, body: dict[str, Any]) -> Outcome:
        return await self._forms.submit(str(body["as"]), str(body["view"]), body.get("values") or {})

    async def _close(self, body: dict[str, Any]) -> Outcome:
        await self._forms.close(str(body["as"]), str(body["view"]))
        return DONE

    async def _read(self, body: dict[str, Any]) -> Outcome:
        person = self._backend.directory.user(str(body["as"]))
        self._backend.timeline.mark_read(
            person.id, self._backend.directory.room_for(person.id, str(body["channel"])).id
        )
        return DONE


DONE = Outcome(None, None, 0.0)
