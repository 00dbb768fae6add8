"""Where a tab is: who acts, which channel and thread are open, which theme was chosen. All of it is in the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from bot.local.workspace.backend import Backend
from bot.local.workspace.directory import Room
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.setup import User

HOME = "home"


@dataclass(frozen=True, slots=True)
class Address:
    """`room` is None on the app's Home tab."""

    person: User
    room: Room | None
    thread_ts: str = ""
    theme: str = ""

    def href(self, *, anchor: str = "") -> str:
        where = {"as": self.person.name, "in": HOME if self.room is None else self.room.name or self.room.id}
        extra = {"thread": self.thread_ts, "theme": self.theme}
        return "/?" + urlencode({**where, **{key: value for key, value in extra.items() if value}}) + anchor

    def at(self, room: Room | None, thread_ts: str = "") -> Address:
        return replace(self, room=room, thread_ts=thread_ts)

    def acting_as(self, person: User) -> Address:
        """The same place, if that person can see it; else their first channel."""
        return replace(self, person=person, thread_ts="")


def read_address(backend: Backend, query: Mapping[str, str]) -> Address:
    """From the query; what is missing or not visible becomes the first person and their first channel."""
    directory = backend.directory
    try:
        person = directory.user(query.get("as", ""))
    except WorkspaceError:
        person = directory.people[0]
    theme = query.get("theme", "")
    address = Address(person, None, query.get("thread", ""), theme if theme in ("dark", "light") else "")
    if query.get("in") == HOME:
        return replace(address, thread_ts="")
    return replace(address, room=open_room(backend, person, query.get("in", "")))


def open_room(backend: Backend, person: User, which: str) -> Room:
    """The channel asked for, or the first that this person is in, or their direct message with the bot."""
    direct = backend.directory.dm(person.id)
    rooms = [*backend.directory.rooms_of(person.id), direct]
    return next((room for room in rooms if which and which in (room.id, room.name)), rooms[0])
