"""Making foreign text harmless: what a cluster or a person wrote is shown, never obeyed.

Two things happen here for every output: characters that control a terminal or the direction of writing are dropped,
and Slack's control sequences (`<!channel>`, `<@U…>`, `<#C…>`) lose their bracket, so that nothing pings even where a
text is pasted on unescaped. Escaping for one kind of output belongs to its renderer (bot.views).
"""

import re
import unicodedata
from functools import lru_cache

LONGEST = 240  # of one foreign word or message; what is longer says little more
_CONTROL_SEQUENCE = re.compile(r"<(?=[!@#])")
_BLANKS = re.compile(r"\s+")
_DIGITS = re.compile(r"(\d+)")


def inert(text: str, longest: int = LONGEST) -> str:
    """`text` on one line, without control characters, capped with an ellipsis."""
    plain = text if text.isascii() and text.isprintable() else _visible(text[: 4 * longest])
    plain = _CONTROL_SEQUENCE.sub("‹", _BLANKS.sub(" ", plain)).strip()
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def disarm(text: str) -> str:
    """The whole of a text that was put together: no two parts of it may form a control sequence either."""
    return _CONTROL_SEQUENCE.sub("‹", text)


def escape(text: str) -> str:
    """Slack's three characters (docs.slack.dev/messaging/formatting-message-text)."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """What was meant by a text that Slack escaped."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _visible(text: str) -> str:
    """Control, format, surrogate and private characters go; any kind of white space becomes a blank."""
    return "".join(
        " " if character.isspace() else character
        for character in text
        if character.isspace() or not unicodedata.category(character).startswith("C")
    )


@lru_cache(maxsize=16_384)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """A sort key that puts gpu-8 before gpu-10."""
    return tuple(
        (int(part), "") if part.isascii() and part.isdigit() else (-1, part) for part in _DIGITS.split(name[:100])
    )
