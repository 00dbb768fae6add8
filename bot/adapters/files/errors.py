"""Places in files as people name them: every error says which file and, where it is known, which line."""

from pathlib import Path

import msgspec

from bot.domain.errors import ConfigError

STANDARD_INPUT = Path("-")
_LONGEST = 200  # a parser's own words may quote what it read


class Place(msgspec.Struct, frozen=True):
    """Where a document stands: the file as the caller named it, and the line it begins on (0: not known)."""

    file: Path
    line: int = 0

    def __str__(self) -> str:
        name = "standard input" if self.file == STANDARD_INPUT else str(self.file)
        return f"{name}, line {self.line}" if self.line else name


def broken(file: Path, line: int, column: int, what: str) -> ConfigError:
    """The error for text that does not parse; `line` and `column` count from 1."""
    words = " ".join(what.split())[:_LONGEST]
    return ConfigError(f"{Place(file, line)}, column {column}: {words}")
