"""Who and what exists: people, the bot, channels with their members, direct messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.setup import BOT_USER_ID, SLACKBOT_ID, Setup, User


@dataclass(slots=True)
class Room:
    """A channel or a direct message. `members` may change: someone joins, the bot is invited."""

    id: str
    name: str
    members: set[str] = field(default_factory=set)
    is_private: bool = False
    is_dm: bool = False
    topic: str = ""
    is_archived: bool = False

    @property
    def channel_type(self) -> str:
        """The word in message events."""
        return "im" if self.is_dm else "group" if self.is_private else "channel"

    def visible_to(self, user: str) -> bool:
        return user in self.members or not (self.is_private or self.is_dm)


class Directory:
    """Look-ups take an id or a name ("ana", "@ana", "U1"; "ops", "#ops", "C1")."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.bot = User(BOT_USER_ID, setup.bot_name, setup.bot_name, "")
        self.slackbot = User(SLACKBOT_ID, "slackbot", "Slackbot", "")
        self.users: dict[str, User] = {user.id: user for user in (*setup.users, self.bot, self.slackbot)}
        self._by_name = {user.name: user for user in self.users.values()}
        self.rooms: dict[str, Room] = {}
        for channel in setup.channels:
            members = set(channel.members) | ({BOT_USER_ID} if channel.id in setup.bot_channels else set())
            self.rooms[channel.id] = Room(
                channel.id,
                channel.name,
                members,
                channel.is_private,
                topic=channel.topic,
                is_archived=channel.is_archived,
            )

    @property
    def people(self) -> tuple[User, ...]:
        return self.setup.users

    def user(self, who: str) -> User:
        """Raises WorkspaceError `user_not_found`."""
        found = self.users.get(who) or self._by_name.get(who.removeprefix("@"))
        if found is None:
            raise WorkspaceError("user_not_found", [who])
        return found

    def room(self, which: str) -> Room:
        """Raises WorkspaceError `channel_not_found`."""
        name = which.removeprefix("#")
        found = self.rooms.get(which) or next((room for room in self.rooms.values() if room.name == name), None)
        if found is None:
            raise WorkspaceError("channel_not_found")
        return found

    def room_for(self, user: str, which: str) -> Room:
        """The room, if this person can see it; a private one that they are not in does not exist for them."""
        room = self.room(which)
        if not room.visible_to(user):
            raise WorkspaceError("channel_not_found")
        return room

    def dm(self, user: str) -> Room:
        """The direct message between a person and the bot, opened when it is first needed."""
        dm_id = "D" + user.removeprefix("U")
        if dm_id not in self.rooms:
            self.rooms[dm_id] = Room(dm_id, "", {user, BOT_USER_ID}, is_dm=True)
        return self.rooms[dm_id]

    def rooms_of(self, user: str) -> Iterator[Room]:
        return (room for room in self.rooms.values() if user in room.members)

    def display_name(self, user: str) -> str:
        return self.users[user].name if user in self.users else user
