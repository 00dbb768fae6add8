"""Facts that people edit, in files of `config/`: a part of YAML that is read in milliseconds, without YAML's library.

    119, 120:                      a key, of a mapping that is indented by two more
      meaning: it does not answer  a key and its text
      note: "of a board: all"      quoted as in JSON where YAML would not take it plainly

Everything is text; there are no lists (`39-41, 70` is text), no anchors and no text of several lines. A comment has a
line of its own. What a file says is the same to any YAML reader (a test compares); what is beyond this part is refused
with its line, since a fact that is silently left out is worse than none.
"""

import re
from pathlib import Path

import msgspec

from bot.domain.errors import ConfigError

FOLDER = Path(__file__).parents[2] / "config"  # beside the package, in a checkout and in an installation alike
Texts = dict[str, "Texts | str"]

_LINE = r'( *)("(?:[^"\\]|\\.)*"|[^\s"#\'&*!|>%@`{}\[\],?:-][^:#]*):(?: +(.*?))? *'
# What YAML would not read as the text that it looks like.
_NOT_PLAIN = r"^[\"'#&*!|>%@`{}\[\],]|^[?:-](?: |$)|: | #|:$"


def load(name: str) -> Texts:
    """The file of that name in `config/`. Raises ConfigError that names it and the line."""
    file = FOLDER / name
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    return read(text, str(file))


def read(text: str, where: str) -> Texts:
    """`where` names the file in what is wrong with it. Raises ConfigError."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                reader.take(line)
            except ValueError as wrong:
                raise ConfigError(f"{where}, line {number}: {wrong}") from wrong
    if reader.opened:
        raise ConfigError(f"{where} ends with a key that has no text")
    return reader.whole


class _Reader:
    """`levels` are the mappings that are open, from the outermost; `opened`: the last of them has no key yet."""

    def __init__(self) -> None:
        self.whole: Texts = {}
        self.opened = False
        self._levels = [self.whole]
        self._line, self._not_plain = re.compile(_LINE), re.compile(_NOT_PLAIN)

    def take(self, line: str) -> None:
        """Raises ValueError."""
        found = self._line.fullmatch(line)
        if found is None:
            raise ValueError("neither `key: text` nor `key:` with more below")
        blanks, key, text = found.groups()
        into = self._mapping(len(blanks))
        name = _unquoted(key)
        if name in into:
            raise ValueError(f"`{name}` is there twice")
        self.opened = not text
        into[name] = self._text(text) if text else self._deeper()

    def _mapping(self, blanks: int) -> Texts:
        depth, odd = divmod(blanks, 2)
        if odd or depth >= len(self._levels) or (self.opened and depth < len(self._levels) - 1):
            raise ValueError("its indentation does not fit what is above")
        del self._levels[depth + 1 :]
        return self._levels[-1]

    def _deeper(self) -> Texts:
        inner: Texts = {}
        self._levels.append(inner)
        return inner

    def _text(self, text: str) -> str:
        if text[0] != '"' and self._not_plain.search(text):
            raise ValueError("its text has to stand in double quotes")
        return _unquoted(text)


def _unquoted(text: str) -> str:
    if text[0] != '"':
        return text.rstrip()
    try:
        return msgspec.json.decode(text, type=str)
    except msgspec.DecodeError as error:
        raise ValueError("what begins with a quote has to be quoted as in JSON") from error


def text_of(facts: Texts, key: str) -> str:
    """The text under that key; empty where there is none. Raises ValueError for a mapping."""
    value = facts.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"`{key}` has to be text")
    return value


def codes(text: str) -> tuple[int, ...]:
    """`39-41, 70` as its numbers. Raises ValueError."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)
