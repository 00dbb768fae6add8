"""A document as plain text: for terminals, for notifications and for screen readers."""

from collections.abc import Iterable

from rich.cells import cell_len

from bot.domain.document import Bold, Bullets, Code, Document, File, Line, Paragraph, Part, Person, Span, Table
from bot.domain.text import disarm, inert

LINE_MAX = 2_000
_NO_BACKTICK = "ˋ"  # looks like one; an apostrophe in its place would end a shell's quotes in a command


def render(document: Document) -> str:
    """The whole document; parts are set off by a blank line."""
    blocks = [spell(document.verdict), *(part(piece) for piece in document.parts)]
    if document.footer:
        blocks.append(" · ".join(inert(item) for item in document.footer))
    return disarm("\n\n".join(block for block in blocks if block))


def part(piece: Part) -> str:
    """One part as lines."""
    match piece:
        case Paragraph(lines):
            return "\n".join(spell(line) for line in lines)
        case Bullets(title, lines, ordered):
            marks = [f"{number}. " if ordered else "" for number in range(1, len(lines) + 1)]
            listed = (f"  {mark}{spell(line)}" for mark, line in zip(marks, lines, strict=True))
            return "\n".join([*([inert(title)] if title else []), *listed])
        case Table():
            return "\n".join([*grid(piece), *([inert(piece.more)] if piece.more else [])])
        case File(lines):
            return "\n".join(map(kept_line, lines))


def kept_line(text: str) -> str:
    """As it stands, blanks at its beginning included, without what could control a terminal."""
    body = inert(text, LINE_MAX)
    return " " * (len(text) - len(text.lstrip(" "))) + body


def spell(line: Line) -> str:
    return "".join(_span(span) for span in line)


def _span(span: Span) -> str:
    match span:
        case Code(text):
            return f"`{inert(text, 1000).replace('`', _NO_BACKTICK)}`"
        case Bold(text):
            return _kept(text)
        case Person(id=who):
            return f"@{inert(who)}"
        case _:
            return _kept(span)


def _kept(text: str) -> str:
    """Inert, but with the blanks at both ends that hold the words of a line apart."""
    body = inert(text, 1000)
    return f"{' ' if text[:1] == ' ' else ''}{body}{' ' if body and text[-1:] == ' ' else ''}"


def grid(table: Table) -> Iterable[str]:
    """The table's lines, columns aligned."""
    rows = [[inert(cell, 60) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(cell_len(row[index]) for row in rows) for index in range(len(table.columns))]
    for row in rows:
        cells = (_pad(cell, widths[index], index in table.numeric) for index, cell in enumerate(row))
        yield "  ".join(cells).rstrip()


def _pad(cell: str, width: int, right: bool) -> str:
    blanks = " " * (width - cell_len(cell))
    return blanks + cell if right else cell + blanks
