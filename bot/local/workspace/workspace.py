"""The workspace as a Python object: start it, connect a bot, act as people, see what they see."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from aiohttp import web

from bot.local.workspace.backend import Backend, build
from bot.local.workspace.faults import Faults
from bot.local.workspace.forms import Forms
from bot.local.workspace.journal import Journal
from bot.local.workspace.messages import Json, Message, Outcome
from bot.local.workspace.people import People
from bot.local.workspace.server import HOST, application, listen
from bot.local.workspace.setup import BOT_USER_ID, Setup

CLOSING_SECONDS = 1.0


class Workspace:
    """`clock` returns epoch seconds and decides every expiry; `rate_limits` enforces 1 message/s/channel.

    Users and channels are given by id or by name.
    """

    bot_user_id = BOT_USER_ID

    def __init__(self, setup: Setup, *, clock: Callable[[], float] = time.time, rate_limits: bool = False) -> None:
        self.setup = setup
        self.port = 0
        self.port_taken = False
        self._backend = build(setup, clock, rate_limits=rate_limits)
        self._people = People(self._backend)
        self._forms = Forms(self._backend)
        self._runner: web.AppRunner | None = None

    @property
    def backend(self) -> Backend:
        """The parts, for tests that set timeouts or look inside."""
        return self._backend

    @property
    def page_url(self) -> str:
        return f"{self._backend.base_url}/"

    @property
    def api_url(self) -> str:
        return f"{self._backend.base_url}/api/"

    @property
    def faults(self) -> Faults:
        return self._backend.faults

    @property
    def journal(self) -> Journal:
        return self._backend.journal

    async def start(self, port: int = 0) -> None:
        """Listens on loopback; a port that is taken is replaced by a free one (`port`, `port_taken`)."""
        sock, self.port_taken = listen(port)
        self.port = sock.getsockname()[1]
        self._backend.base_url = f"http://{HOST}:{self.port}"
        app = application(self._backend, self._people, self._forms)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSING_SECONDS)
        await self._runner.setup()
        await web.SockSite(self._runner, sock, backlog=256).start()

    async def stop(self) -> None:
        """Closes every connection; what was not delivered is given up."""
        await self._backend.events.stop()
        await self._backend.sockets.close()
        self._backend.changes.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def connected(self, timeout_seconds: float) -> None:
        """Waits until the bot's Socket Mode connection is greeted; raises TimeoutError."""
        await self._backend.sockets.connected(timeout_seconds)

    async def slash(self, user: str, channel: str, text: str, *, thread_ts: str | None = None) -> Outcome:
        """Types a slash command, such as "/gpu status", in Slack's notation (people as `<@U…>`)."""
        return await self._people.slash(user, channel, text, thread_ts=thread_ts)

    async def say(self, user: str, channel: str, text: str, *, thread_ts: str | None = None) -> str:
        """Posts a message, in Slack's notation; returns its ts. Raises WorkspaceError."""
        return await self._people.say(user, channel, text, thread_ts=thread_ts)

    async def click(
        self, user: str, message_ts: str, action_id: str, *, value: Any = None, values: Json | None = None
    ) -> Outcome:
        """Presses a button or chooses from a menu (`value` is the option's) in a message, or in a view by its id.

        values: what a view's fields hold at that moment, by block id.
        """
        if message_ts.startswith("V"):
            return await self._forms.click(user, message_ts, action_id, value=value, block_id=None, values=values or {})
        return await self._people.click(user, message_ts, action_id, value=value)

    async def submit(self, user: str, view_id: str, values: Json) -> Outcome:
        """Submits a modal: block id to value."""
        return await self._forms.submit(user, view_id, values)

    async def close_view(self, user: str, view_id: str) -> None:
        """Closes a modal; an app that asked with `notify_on_close` hears of it."""
        await self._forms.close(user, view_id)

    def view(self, user: str) -> Json | None:
        """The modal on top of this person's screen, as Slack describes views."""
        top = self._backend.modals.top(self._backend.directory.user(user).id)
        return top.payload() if top else None

    def home(self, user: str) -> Json | None:
        """The app's Home tab of this person, if one was published."""
        home = self._backend.modals.home(self._backend.directory.user(user).id)
        return home.payload() if home else None

    def open_dm(self, user: str) -> str:
        """The id of the direct message between this person and the bot."""
        return self._backend.directory.dm(self._backend.directory.user(user).id).id

    def messages(self, channel: str, user: str, *, thread_ts: str | None = None) -> list[Message]:
        """What this person sees, oldest first: the channel without replies, or one thread with its root."""
        person, room = self._backend.directory.user(user).id, self._backend.directory.room(channel).id
        timeline = self._backend.timeline
        posts = timeline.thread(room, person, thread_ts) if thread_ts else timeline.top_level(room, person)
        return [post.seen() for post in posts]

    async def next_message(self, channel: str, user: str, *, after: str = "", timeout_seconds: float = 5) -> Message:
        """The first message, replies included, that came or changed later than `after`; raises TimeoutError.

        `after` is a `ts` or a `changed` of another message.
        """
        person, room = self._backend.directory.user(user).id, self._backend.directory.room(channel).id
        async with asyncio.timeout(timeout_seconds):
            with self._backend.changes.listen() as changes:
                while True:
                    later = [post for post in self._backend.timeline.visible(room, person) if post.changed > after]
                    if later:
                        return min(later, key=lambda post: post.changed).seen()
                    await changes.get()
