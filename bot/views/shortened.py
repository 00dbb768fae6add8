"""A document made to fit one message: what matters least gives way first, line by line, and what did is told."""

import json
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.document import Bullets, Document, File, Paragraph, Part, Table, line, paragraph
from bot.domain.words import names
from bot.views import blocks, text

TEXT_MAX = 4_000  # characters of the whole answer, as a terminal shows it


def shortened(document: Document, worth: Sequence[int] = ()) -> Document:
    """`worth` tells of each part how long it is kept: the lowest gives way first. Without it the last part does."""
    worths = list(worth) or list(range(len(document.parts), 0, -1))
    parts = list(document.parts)
    cut: list[str] = []
    shorter = document
    while parts and not fits(shorter):
        index = min(range(len(parts)), key=lambda at: (worths[at], -at))
        title = title_of(parts[index])
        less = _less(parts[index])
        if less is None:
            del parts[index], worths[index]
        else:
            parts[index] = less
        cut = [title, *(one for one in cut if one != title)]
        shorter = replace(document, parts=(*parts, _told(cut)))
    return shorter


def fits(document: Document) -> bool:
    """As text, and as Block Kit: there every piece of a line costs more than its words."""
    if len(text.render(document)) > TEXT_MAX:
        return False
    return len(json.dumps(blocks.all_of(document))) <= blocks.BUDGET


def title_of(part: Part) -> str:
    """What the reader knows the part by."""
    match part:
        case Bullets(title, _):
            return title or "the list"
        case Table():
            return "the table"
        case Paragraph():
            return "a remark"
        case File():
            return "the file"


def _less(part: Part) -> Part | None:
    """The part without its last line; None where that is all of it."""
    match part:
        case Bullets(title, lines, ordered) if len(lines) > 1:
            return Bullets(title, lines[:-1], ordered)
        case Table(rows=rows) if len(rows) > 1:
            return replace(part, rows=rows[:-1], more="and more")
        case _:
            return None


def _told(cut: Sequence[str]) -> Paragraph:
    return paragraph(line(f"Left out or cut short, to fit one message: {names(list(cut), shown=6)}."))
