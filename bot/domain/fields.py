"""Any JSON object, read without trust: a field that is missing or of another type than expected is simply not there.

Custom resources differ between versions, and files are written by hand. Whoever explains a cluster must not fall over
them, so `Fields` never raises; `odd` collects which fields were of another type, so that an answer can say so.

    fields.text("status", "phase")          "" where there is none
    fields.number("spec", "replicas")       None where there is none
    fields.each("status", "conditions")     Fields of each object in a list
"""

from collections.abc import Iterator
from typing import Any

ODD_KEPT = 20


class Fields:
    """One object. `name` is what it is called in `odd`, such as `Deployment llm/glm`."""

    __slots__ = ("data", "name", "odd")

    def __init__(self, data: object = None, name: str = "", odd: list[str] | None = None) -> None:
        self.data: dict[str, Any] = data if isinstance(data, dict) else {}
        self.name = name
        self.odd: list[str] = [] if odd is None else odd

    def __bool__(self) -> bool:
        return bool(self.data)

    def get(self, *path: str) -> Any:
        """Whatever is there; None where nothing is."""
        value: Any = self.data
        for step in path:
            if not isinstance(value, dict):
                if value is not None:
                    self._note(path)
                return None
            value = value.get(step)
        return value

    def text(self, *path: str) -> str:
        """A text. A number where a text should be is taken as written."""
        value = self.get(*path)
        if isinstance(value, str):
            return value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if value is not None:
            self._note(path)
        return ""

    def number(self, *path: str) -> int | None:
        """A whole number, also one written as text."""
        value = self.data.get(path[0]) if len(path) == 1 else self.get(*path)  # the usual one costs least
        if type(value) is int:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, str) and len(value) < 20 and value.lstrip("-").isdecimal() and value.isascii():
            return int(value)
        if value is not None:
            self._note(path)
        return None

    def flag(self, *path: str) -> bool | None:
        value = self.get(*path)
        if value is not None and not isinstance(value, bool):
            self._note(path)
            return None
        return value

    def at(self, *path: str) -> "Fields":
        """The object there; an empty one where there is none."""
        value = self.get(*path)
        if value is not None and not isinstance(value, dict):
            self._note(path)
        return Fields(value, self.name, self.odd)

    def each(self, *path: str) -> "Iterator[Fields]":
        """The objects of a list; entries that are no objects are left out."""
        for value in self._list(path):
            if isinstance(value, dict):
                yield Fields(value, self.name, self.odd)
            else:
                self._note(path)

    def texts(self, *path: str) -> tuple[str, ...]:
        """The texts of a list."""
        values = self._list(path)
        found = tuple(value for value in values if isinstance(value, str))
        if len(found) != len(values):
            self._note(path)
        return found

    def map(self, *path: str) -> dict[str, str]:
        """Labels, annotations, resource lists: text to text, numbers as written."""
        value = self.get(*path)
        if not isinstance(value, dict):
            if value is not None:
                self._note(path)
            return {}
        return {
            key: one if isinstance(one, str) else str(one)
            for key, one in value.items()
            if isinstance(one, (str, int, float)) and not isinstance(one, bool)
        }

    def condition(self, kind: str) -> "Fields":
        """The entry of status.conditions of that type; an empty one where there is none."""
        return next((one for one in self.each("status", "conditions") if one.text("type") == kind), Fields())

    def _list(self, path: tuple[str, ...]) -> list[Any]:
        value = self.get(*path)
        if isinstance(value, list):
            return value
        if value is not None:
            self._note(path)
        return []

    def _note(self, path: tuple[str, ...]) -> None:
        if len(self.odd) < ODD_KEPT and (said := f"{self.name or 'object'}: {'.'.join(path)}") not in self.odd:
            self.odd.append(said)
