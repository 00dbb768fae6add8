"""What a person types, as Slack sends it on: special characters escaped, known names turned into references."""

from __future__ import annotations

import re

from bot.local.workspace.directory import Directory

NAME = re.compile(r"(?<![\w&@#])([@#])([a-z0-9][a-z0-9._-]*)", re.IGNORECASE)


def to_wire(text: str, directory: Directory) -> str:
    """ "@ana in #ops <3" becomes "<@U1> in <#C1|ops> &lt;3"; names that nobody has stay as typed."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    users = {user.name: user.id for user in directory.users.values()}
    rooms = {room.name: room.id for room in directory.rooms.values() if room.name}

    def reference(match: re.Match[str]) -> str:
        sign, name = match[1], match[2]
        if sign == "@" and name in users:
            return f"<@{users[name]}>"
        if sign == "#" and name in rooms:
            return f"<#{rooms[name]}|{name}>"
        return match[0]

    return NAME.sub(reference, escaped)
