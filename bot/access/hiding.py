"""What of an answer a person may not see: what is said of namespaces whose pods they may not list.

An answer is worked out over the whole cluster, since a GPU is as taken by a pod that one may not see as by any other.
What comes out is read word by word: a line that names a namespace or an object of one that is hidden is left out, a
table's row keeps its numbers without the name, and a first line that names one is all that is said.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.domain.document import Button, Code, Document, File, Line, Paragraph, Part, Person, Table
from bot.domain.pattern import Pattern
from bot.domain.view import View
from bot.domain.words import count

HIDDEN = "(not visible to you)"
_WORD = Pattern(r"[a-z0-9](?:[-a-z0-9./]*[a-z0-9])?")
_BEFORE_A_NAMESPACE = frozenset({"namespace", "in"})


@dataclass(frozen=True, slots=True)
class Sight:
    """Namespaces that are hidden from a person. unsure: it could not be found out whether they are."""

    hidden: frozenset[str] = frozenset()
    unsure: bool = False


ALL = Sight()


def typed(words: Iterable[str], sight: Sight, view: View) -> str:
    """The first word that somebody typed which means something hidden; empty where none does."""
    eyes = Eyes(sight, view)
    return next((word for word in words if eyes.hides((Code(word),))), "")


def seen(document: Document, sight: Sight, view: View) -> Document:
    """The same without what is hidden, and how much of it was left out."""
    if not sight.hidden:
        return document
    eyes = Eyes(sight, view)
    if eyes.hides(document.verdict):
        return Document((f"This is about a namespace that you may not see. {who_can(sight)}",))
    parts = tuple(eyes.part(part) for part in document.parts)
    footer = tuple(text for text in document.footer if not eyes.hides((text,)))
    buttons = tuple(button for button in document.buttons if not eyes.hides_button(button))
    if eyes.left_out:
        footer += (f"{count(eyes.left_out, 'line')} left out, about namespaces that you may not see",)
    return replace(document, parts=parts, footer=footer, buttons=buttons)


def who_can(sight: Sight) -> str:
    if sight.unsure:
        return "Whether you may could not be found out from the API server: ask again in a minute."
    return "It needs `list pods` there in Kubernetes; whoever administers that namespace can grant it."


class Eyes:
    """Reads texts for a person. `left_out` counts lines."""

    def __init__(self, sight: Sight, view: View) -> None:
        self._hidden = sight.hidden
        self._seen = [name for name in view.namespaces if name not in sight.hidden]
        self._tables = [table for table in view.tables.values() if "/" in next(iter(table), "")]
        self._known: dict[str, bool] = {}
        self.left_out = 0

    def hides(self, line: Line) -> bool:
        """Two spans that stand side by side can be one word; a span of its own can be a name of any form."""
        whole = "".join(map(_text, line))
        alone = (_text(span) for span in line if not isinstance(span, str))
        return self._hides_text(whole) or any(self._is_name(text.casefold()) for text in alone)

    def hides_button(self, button: Button) -> bool:
        return self._hides_text(f"{button.value} {button.label} {button.says}")

    def part(self, part: Part) -> Part:
        if isinstance(part, Table):
            return replace(part, rows=tuple(map(self._row, part.rows)))
        if isinstance(part, File):
            return part if not any(self._hides_text(text) for text in part.lines) else File((HIDDEN,))
        lines = tuple(line for line in part.lines if not self.hides(line))
        self.left_out += len(part.lines) - len(lines)
        return Paragraph(lines) if isinstance(part, Paragraph) else replace(part, lines=lines)

    def _row(self, row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(HIDDEN if self._hides_text(cell) or self._is_name(cell.casefold()) else cell for cell in row)

    def _hides_text(self, text: str) -> bool:
        """In a sentence a word of letters alone is a name only where it stands as one: `in llm`, `namespace llm`."""
        before = ""
        for word in _words(text):
            if (not word.isalpha() or before in _BEFORE_A_NAMESPACE) and self._is_name(word):
                return True
            before = word
        return False

    def _is_name(self, word: str) -> bool:
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._judged(word)
        return found

    def _judged(self, word: str) -> bool:
        """`llm`, `llm/glm-1`, `pod/glm-1`, `glm-1`. What is also called so where it may be seen is not hidden."""
        first, slash, name = word.partition("/")
        if first in self._hidden:
            return True
        if slash and first in self._seen:
            return False
        name = name.rpartition("/")[2] if slash else first
        return self._is_in(self._hidden, name) and not self._is_in(self._seen, name)

    def _is_in(self, namespaces: Iterable[str], name: str) -> bool:
        return any(f"{namespace}/{name}" in table for namespace in namespaces for table in self._tables)


def _words(text: str) -> Iterator[str]:
    return (match.group() for match in _WORD.finditer(text.casefold()))


def _text(span: object) -> str:
    if isinstance(span, Person):
        return span.id
    return span if isinstance(span, str) else getattr(span, "text", "")
