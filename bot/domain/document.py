"""What an answer looks like before anybody decided where it is shown.

A document is a verdict, parts, a footer and buttons. Words are spans: a plain `str` is shown literally wherever it
came from; markup exists only as `Code` and `Bold`, so no text from a cluster can become a link, a mention or markup.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """Something to type, or the name of a thing."""

    text: str


@dataclass(frozen=True, slots=True)
class Bold:
    text: str


@dataclass(frozen=True, slots=True)
class Person:
    """A mention of a person, by Slack id: only our own code makes one."""

    id: str


Span = str | Code | Bold | Person
Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """A titled list; `ordered` where its order says something, such as what to do first."""

    title: str
    lines: tuple[Line, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """`numeric` columns are aligned to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    more: str = ""  # a line about rows that are not shown


@dataclass(frozen=True, slots=True)
class File:
    """A text of ours that is copied as it stands, line for line, such as a manifest. `more`: where all of it is, for a
    message that has room for its beginning only.
    """

    lines: tuple[str, ...]
    more: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """`action` names a listener; `value` is what it gets back: never trusted, only looked up or asked anew."""

    label: str
    action: str
    value: str
    says: str  # for screen readers: what exactly it does


Part = Paragraph | Bullets | Table | File


@dataclass(frozen=True, slots=True)
class Document:
    verdict: Line
    parts: tuple[Part, ...] = ()
    footer: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()


def line(*spans: Span) -> Line:
    return spans


def sentence(text: str) -> Line:
    """A sentence of ours in which `backticks` mark what can be typed; foreign words in it carry none."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # one without its partner: nothing is marked
        return (text,)
    return tuple(Code(piece) if index % 2 else piece for index, piece in enumerate(pieces) if piece)


def paragraph(*lines: Line) -> Paragraph:
    return Paragraph(lines)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], numeric: Sequence[int] = (), more: str = ""
) -> Table:
    """A table of anything that has a text."""
    return Table(tuple(columns), tuple(tuple(str(cell) for cell in row) for row in rows), frozenset(numeric), more)
