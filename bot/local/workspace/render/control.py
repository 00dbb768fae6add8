"""Control sequences of mrkdwn, the part between < and >: mentions, links, broadcasts, dates."""

from __future__ import annotations

import re

from bot.local.workspace.render.dates import formatted
from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.render.scope import Names

URL = re.compile(r"(?:https?://|mailto:|tel:)[^\s]+", re.IGNORECASE)
ENTITY = re.compile(r"&(amp|lt|gt);")
CHARACTERS = {"amp": "&", "lt": "<", "gt": ">"}
BROADCASTS = ("here", "channel", "everyone")


def control(sequence: str, names: Names) -> str | None:
    """HTML of one sequence, or None when it is not one."""
    body, _, label = sequence.partition("|")
    if body.startswith("@"):
        return mention("@", names.users.get(body[1:]) or label or body[1:])
    if body.startswith("#"):
        return mention("#", names.channels.get(body[1:]) or label or body[1:])
    if body.startswith("!date^"):
        return date(body, label, names)
    if body.startswith("!"):
        return special(body[1:], label)
    if URL.fullmatch(body):
        return link(decoded(body), escape(decoded(label or body)))
    return None


def control_as_text(sequence: str, names: Names) -> str:
    """The same inside code: its words only."""
    body, _, label = sequence.partition("|")
    if body.startswith(("@", "#")):
        known = names.users if body[0] == "@" else names.channels
        return escape(body[0] + decoded(known.get(body[1:]) or label or body[1:]))
    if URL.fullmatch(body):
        return escape(decoded(label or body))
    return escape(decoded(f"<{sequence}>"))


def special(word: str, label: str) -> str | None:
    if word in BROADCASTS:
        return mention("@", word)
    if word.startswith("subteam^"):
        return mention("@", label.removeprefix("@") or word.removeprefix("subteam^"))
    return None


def date(body: str, label: str, names: Names) -> str | None:
    """`!date^epoch^pattern` with an optional `^link`; the label is what to show when there is no such time."""
    _, epoch, *rest = body.split("^")
    words = formatted(epoch, decoded(rest[0]), names) if rest else None
    if words is None:
        return escape(decoded(label)) if label else None
    return link(decoded(rest[1]), words) if len(rest) > 1 and URL.fullmatch(rest[1]) else words


def mention(sign: str, name: str) -> str:
    return tag("span", escape(sign + decoded(name)), class_="mention")


def link(url: str, content: str) -> str:
    return tag("a", content, href=url, target="_blank", rel="noopener noreferrer")


def decoded(text: str) -> str:
    """The three entities that senders write."""
    return ENTITY.sub(lambda match: CHARACTERS[match[1]], text)
