"""Slack's mrkdwn to HTML. What is broken (an unclosed mark, an unknown control sequence) stays literal.

The sender escapes &, < and >; `<...>` are control sequences: mentions, links, broadcasts, dates. Nothing else is
markup, and every other character is escaped. https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.local.workspace.render.control import control, control_as_text, decoded
from bot.local.workspace.render.emoji import emoji
from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.render.scope import Names

FENCED = re.compile(r"```(.+?)```", re.DOTALL)
QUOTE = re.compile(r"(?:&gt;|>) ?")
REST_QUOTED = re.compile(r"^(?:&gt;|>){3} ?", re.MULTILINE)
PIECE = re.compile(r"`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):|(&(?:amp|lt|gt);)")
CONTROL = re.compile(r"<([^<>\n]+)>")
MARKS = {"*": "strong", "_": "em", "~": "s"}


class Atom(NamedTuple):
    """One character (`char`), or something that is markup already (`char` is empty)."""

    html: str
    char: str


def mrkdwn(text: str, names: Names) -> str:
    """Paragraph-level HTML: text, <br>, <pre>, <blockquote>."""
    parts, position = [], 0
    for fence in FENCED.finditer(text):
        parts.append(prose(text[position : fence.start()].removesuffix("\n"), names))
        parts.append(tag("pre", literal(fence[1].removeprefix("\n").removesuffix("\n"), names)))
        position = fence.end()
    rest = text[position:]
    parts.append(prose(rest.removeprefix("\n") if position else rest, names))
    return "".join(parts)


def plain_text(text: str) -> str:
    """A plain_text object: only emoji are special."""
    shown = re.sub(r":([a-z0-9_+'-]+):", lambda match: emoji(match[1]) or match[0], text)
    return escape(shown).replace("\n", "<br>")


def prose(text: str, names: Names) -> str:
    """Lines and quotes; `>>>` quotes all that follows."""
    rest = REST_QUOTED.search(text)
    if rest:
        return prose(text[: rest.start()].removesuffix("\n"), names) + quoted(text[rest.end() :].split("\n"), names)
    parts: list[str] = []
    plain: list[str] = []
    quotes: list[str] = []
    for line in text.split("\n") if text else []:
        mark = QUOTE.match(line)
        if mark:
            quotes.append(line[mark.end() :])
            flush_plain(plain, parts, names)
        else:
            flush_quotes(quotes, parts, names)
            plain.append(line)
    flush_quotes(quotes, parts, names)
    flush_plain(plain, parts, names)
    return "".join(parts)


def flush_plain(plain: list[str], parts: list[str], names: Names) -> None:
    if plain:
        parts.append("<br>".join(inline(line, names) for line in plain))
        plain.clear()


def flush_quotes(quotes: list[str], parts: list[str], names: Names) -> None:
    if quotes:
        parts.append(quoted(quotes, names))
        quotes.clear()


def quoted(quotes: list[str], names: Names) -> str:
    return tag("blockquote", "<br>".join(inline(line, names) for line in quotes))


def inline(line: str, names: Names) -> str:
    """One line: code, control sequences, emoji, and the three marks."""
    return styled(atoms(line, names), frozenset(MARKS))


def atoms(line: str, names: Names) -> list[Atom]:
    found, position = [], 0
    for piece in PIECE.finditer(line):
        found += characters(line[position : piece.start()])
        found += read(piece, names)
        position = piece.end()
    return found + characters(line[position:])


def characters(text: str) -> list[Atom]:
    return [Atom(escape(char), char) for char in text]


def read(piece: re.Match[str], names: Names) -> list[Atom]:
    code, sequence, shortcode, entity = piece.groups()
    if code is not None:
        return [Atom(tag("code", literal(code, names)), "")]
    if sequence is not None:
        return [Atom(control(sequence, names) or escape(decoded(piece[0])), "")]
    if shortcode is not None:
        shown = emoji(shortcode)
        return [Atom(shown, "")] if shown else characters(piece[0])
    return [Atom(entity, decoded(entity))]


def styled(line: list[Atom], marks: frozenset[str]) -> str:
    """Pairs up marks from left to right; inside a pair the same mark has no meaning, so depth is at most three."""
    parts: list[str] = []
    position = 0
    hopeless: set[str] = set()
    while position < len(line):
        mark = line[position].char
        end = None
        if mark in marks and mark not in hopeless and opens(line, position):
            end = closing(line, position, mark)
            if end is None:
                hopeless.add(mark)
        if end is None:
            parts.append(line[position].html)
            position += 1
        else:
            parts.append(tag(MARKS[mark], styled(line[position + 1 : end], marks - {mark})))
            position = end + 1
    return "".join(parts)


def opens(line: list[Atom], position: int) -> bool:
    """A mark opens after anything but a word or itself, and before anything but a space or itself."""
    before = line[position - 1].char if position else " "
    if position + 1 >= len(line):
        return False
    after = line[position + 1].char
    return (
        not is_word(before) and before != line[position].char and not after.isspace() and after != line[position].char
    )


def closing(line: list[Atom], start: int, mark: str) -> int | None:
    for position in range(start + 2, len(line)):
        if line[position].char == mark and not line[position - 1].char.isspace():
            after = line[position + 1].char if position + 1 < len(line) else " "
            if not is_word(after) and after != mark:
                return position
    return None


def is_word(char: str) -> bool:
    return char.isalnum()


def literal(text: str, names: Names) -> str:
    """Inside code: control sequences show their words, nothing is styled."""
    parts, position = [], 0
    for match in CONTROL.finditer(text):
        parts += [escape(decoded(text[position : match.start()])), control_as_text(match[1], names)]
        position = match.end()
    return "".join(parts) + escape(decoded(text[position:]))
