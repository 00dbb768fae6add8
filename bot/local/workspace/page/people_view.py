"""How people look: avatars of initials, names, the names that renderers need."""

from __future__ import annotations

from bot.local.workspace.directory import Directory
from bot.local.workspace.render import Names
from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.setup import BOT_USER_ID, SLACKBOT_ID, User

COLOURS = 8


def names_of(directory: Directory) -> Names:
    users = {user.id: user.name for user in directory.users.values() if user.id != SLACKBOT_ID}
    channels = {room.id: room.name for room in directory.rooms.values() if not room.is_dm}
    return Names(users, channels)


def avatar(user: User, *, small: bool = False) -> str:
    """Initials on one of eight colours; the same person always has the same."""
    words = (user.real_name or user.name).split() or ["?"]
    initials = (words[0][0] + words[1][0]) if len(words) > 1 else words[0][:2]
    colour = "app" if user.id in (BOT_USER_ID, SLACKBOT_ID) else str(sum(user.id.encode()) % COLOURS)
    size = " small" if small else ""
    return tag("span", escape(initials.title()), class_=f"avatar colour-{colour}{size}", aria_hidden="true")


def shown_name(user: User) -> str:
    return user.real_name or user.name
