"""One entry of the catalogue's file: its figures by name and kind, and a sentence for each that is missing or wrong."""

from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass

from bot.domain.data_file import Texts
from bot.domain.version import Version, version
from bot.domain.words import names
from bot.grammar import nearest, quoted

_DIGITS_MOST = 19


@dataclass(frozen=True, slots=True)
class Entry:
    """`name` is how it is told (`models glm-5.2 variants fp8`). Everything raises ValueError."""

    name: str
    told: Texts

    def where(self, key: str) -> str:
        return f"`{key}` of {self.name}" if self.name else f"`{key}`"

    def only(self, known: Set[str]) -> None:
        """A key that nobody reads is a slip of the pen."""
        for key in self.told:
            if key not in known:
                close = nearest(key, sorted(known))
                hint = f"did you mean `{close}`?" if close else f"there are {names(sorted(known), 20)}"
                raise ValueError(f"{self.where(key)} is nothing that is known: {hint}")

    def under(self, key: str) -> "Entry":
        found = self.told.get(key)
        if not isinstance(found, dict):
            known = names([quoted(one) for one in self.told], 12)
            raise ValueError(f"{self.where(key)} is missing or has nothing below it; there are {known}")
        return Entry(f"{self.name} {key}".strip(), found)

    def each(self, key: str, *, may_be_missing: bool = False) -> Iterator["Entry"]:
        if may_be_missing and key not in self.told:
            return
        inner = self.under(key)
        for name in inner.told:
            yield inner.under(name)

    def over(self, other: "Entry") -> "Entry":
        """What this one does not say is as the other says."""
        return Entry(self.name, {**other.told, **self.told})

    def text(self, key: str, default: str | None = None) -> str:
        value = self.told.get(key, default)
        if not isinstance(value, str):
            raise ValueError(f"{self.where(key)} is missing" if value is None else f"{self.where(key)} has to be text")
        return value

    def parts(self, key: str, *, may_be_missing: bool = False) -> tuple[str, ...]:
        text = self.text(key, "" if may_be_missing else None)
        return tuple(part.strip() for part in text.split(",") if part.strip())

    def whole(self, key: str, default: int | None = None, *, least: int = 0) -> int:
        text = self.text(key, None if default is None else str(default))
        if not (text.isascii() and text.isdigit() and len(text) < _DIGITS_MOST and int(text) >= least):
            raise ValueError(f"{self.where(key)} has to be a whole number from {least} on, not {quoted(text)}")
        return int(text)

    def number(self, key: str, *, least: float = 0) -> float:
        text = self.text(key)
        try:
            found = float(text)
        except ValueError:
            found = -1
        if not least <= found < 1e6:
            raise ValueError(f"{self.where(key)} has to be a number from {least:g} on, not {quoted(text)}")
        return found

    def one_of(self, key: str, known: Collection[str], default: str | None = None) -> str:
        """One of the words that mean something there."""
        text = self.text(key, default)
        if text not in known:
            listed = names([quoted(one) for one in known if one], 12)
            raise ValueError(f"{self.where(key)} has to be one of {listed}, not {quoted(text)}")
        return text

    def version(self, key: str) -> Version:
        found = version(self.text(key))
        if found is None:
            raise ValueError(f"{self.where(key)} has to be a version, not {quoted(self.text(key))}")
        return found

    def capability(self, key: str) -> tuple[int, int]:
        return self._capability(key, self.text(key))

    def capabilities(self, key: str) -> tuple[tuple[int, int], ...]:
        return tuple(self._capability(key, part) for part in self.parts(key))

    def _capability(self, key: str, text: str) -> tuple[int, int]:
        major, _, minor = text.partition(".")
        if not (major.isdigit() and minor.isdigit()):
            raise ValueError(f"{self.where(key)} has to be a compute capability such as 9.0, not {quoted(text)}")
        return int(major), int(minor)
