"""A document as Block Kit, within Slack's limits.

Everything is said in `rich_text` and `table` blocks, whose text is literal: nothing in it is read as markup, so a
pod's name cannot become a link or a mention. The message's top-level text carries the answer too: notifications and
screen readers use it, not the blocks. Limits: docs.slack.dev/reference/block-kit/blocks, slackblocks' spec/limits.json.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from bot.domain.document import Bold, Bullets, Button, Code, Document, File, Line, Paragraph, Part, Person, Span, Table
from bot.domain.text import escape, inert
from bot.views import text as plain

Block = dict[str, Any]
TEXT_MAX = 3_500  # of the top-level text; Slack advises 4,000
BLOCKS_MAX = 50
BUDGET = 11_000  # characters of block JSON; Slack refuses somewhat above 13,000 without saying so in its docs
TABLE_ROWS, TABLE_COLUMNS = 100, 20
FILE_MAX = 8_000
CELL_MAX, SPAN_MAX = 200, 1_000
BUTTON_LABEL, BUTTON_VALUE, BUTTON_SAYS = 75, 2_000, 75


@dataclass(frozen=True, slots=True)
class Message:
    """What is posted. `text` is escaped for mrkdwn."""

    text: str
    blocks: list[Block] = field(default_factory=list)


def render(document: Document) -> Message:
    """The document as one message; parts that do not fit are counted in words, never cut in the middle."""
    head = [_lines([_strong(document.verdict)])]
    tail = [*_footer(document), *_buttons(document)]
    room = BUDGET - len(json.dumps([*head, *tail]))
    middle: list[Block] = []
    tables = 0
    for index, piece in enumerate(document.parts):
        native = isinstance(piece, Table) and tables == 0  # Slack takes one table block in a message
        blocks = _part(piece, native=native)
        size = len(json.dumps(blocks))
        if size > room or len(middle) + len(blocks) + len(head) + len(tail) + 1 > BLOCKS_MAX:
            left = len(document.parts) - index
            middle.append(
                _lines([(f"{left} more part{'s' if left > 1 else ''} did not fit here: ask more narrowly.",)])
            )
            break
        tables += native
        room -= size
        middle += blocks
    return Message(escape(_top(document)), [*head, *middle, *tail])


def all_of(document: Document) -> list[Block]:
    """Every block there would be if a message had room for all."""
    middle = [block for piece in document.parts for block in _part(piece, native=isinstance(piece, Table))]
    return [_lines([_strong(document.verdict)]), *middle, *_footer(document), *_buttons(document)]


def _top(document: Document) -> str:
    whole = plain.render(document)
    return whole if len(whole) <= TEXT_MAX else whole[: TEXT_MAX - 1].rsplit("\n", 1)[0] + "\n…"


def _part(piece: Part, *, native: bool) -> list[Block]:
    match piece:
        case Paragraph(lines):
            return [_lines(list(lines))]
        case Bullets(title, lines, ordered):
            title_line = [_section((Bold(title),))] if title else []
            items = {
                "type": "rich_text_list",
                "style": "ordered" if ordered else "bullet",
                "elements": [_section(line) for line in lines],
            }
            return [{"type": "rich_text", "elements": [*title_line, items]}]
        case Table():
            blocks = [_table(piece)] if native else [_preformatted("\n".join(plain.grid(piece)))]
            return [*blocks, *([_lines([(piece.more,)])] if piece.more else [])]
        case File():
            return _file(piece)


def _file(piece: File) -> list[Block]:
    """Its beginning, as far as there is room, and then where all of it is."""
    kept: list[str] = []
    room = FILE_MAX
    for one in map(plain.kept_line, piece.lines):
        room -= len(json.dumps(one)) + 1
        if room < 0:
            told = f"{len(piece.lines) - len(kept)} more lines did not fit here. {piece.more}".strip()
            return [_preformatted("\n".join(kept)), _lines([(told,)])]
        kept.append(one)
    return [_preformatted("\n".join(kept))]


def _table(piece: Table) -> Block:
    rows = [piece.columns, *piece.rows[: TABLE_ROWS - 1]]
    return {
        "type": "table",
        "column_settings": [
            {"align": "right" if index in piece.numeric else "left"}
            for index in range(len(piece.columns[:TABLE_COLUMNS]))
        ],
        "rows": [
            [{"type": "raw_text", "text": inert(cell, CELL_MAX) or "–"} for cell in row[:TABLE_COLUMNS]] for row in rows
        ],
    }


def _preformatted(text: str) -> Block:
    text = text.strip("\n") or " "
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_preformatted", "elements": [{"type": "text", "text": text}]}],
    }


def _lines(lines: list[Line]) -> Block:
    elements: list[Any] = []
    for index, line in enumerate(lines):
        elements += [
            *([{"type": "text", "text": "\n"}] if index else []),
            *(_span(span) for span in line if span != ""),
        ]
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements or [_span(" ")]}]}


def _section(line: Line) -> Block:
    return {"type": "rich_text_section", "elements": [_span(span) for span in line if span != ""]}


def _strong(line: Line) -> Line:
    return tuple(Bold(span) if isinstance(span, str) else span for span in line)


def _span(span: Span) -> Block:
    match span:
        case Code(text):
            return {"type": "text", "text": inert(text, SPAN_MAX) or "–", "style": {"code": True}}
        case Bold(text):
            return {"type": "text", "text": plain.spell((text,)) or " ", "style": {"bold": True}}
        case Person(id=who) if who.startswith("S"):
            return {"type": "usergroup", "usergroup_id": who}
        case Person(id=who):
            return {"type": "user", "user_id": who}
        case _:
            return {"type": "text", "text": plain.spell((span,)) or " "}


def plain_text(text: str) -> Block:
    """Slack's object for words without markup. docs.slack.dev: composition objects, text"""
    return {"type": "plain_text", "text": text, "emoji": False}


def _footer(document: Document) -> list[Block]:
    text = " · ".join(item for raw in document.footer if (item := inert(raw)))
    if not text:
        return []
    return [{"type": "context", "elements": [plain_text(text[:2_000])]}]


def _buttons(document: Document) -> list[Block]:
    if not document.buttons:
        return []
    actions = [button.action for button in document.buttons]
    elements = [
        _button(button, button.action if actions.count(button.action) == 1 else f"{button.action}-{index}")
        for index, button in enumerate(document.buttons[:25])
    ]
    return [{"type": "actions", "elements": elements}]


def _button(button: Button, action_id: str) -> Block:
    """Slack wants every action id of a block to differ."""
    return {
        "type": "button",
        "action_id": action_id,
        "text": plain_text(inert(button.label, BUTTON_LABEL) or "–"),
        "value": button.value[:BUTTON_VALUE],
        "accessibility_label": inert(button.says, BUTTON_SAYS) or "–",
    }
