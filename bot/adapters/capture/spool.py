"""Objects on their way from the cluster to the folder, on disk: a fleet's pods do not fit in memory as dictionaries."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec


class Entry(NamedTuple):
    """Where one object lies. `rank` is its kind's place in the order of kinds."""

    rank: int
    namespace: str
    name: str
    offset: int
    length: int


class Spool:
    """Append-only, but for `rewind`. The file has no name, so nothing is left of it, whatever happens."""

    def __init__(self, directory: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115  # closed by __exit__
        self.entries: list[Entry] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, rank: int, item: dict[str, Any]) -> None:
        metadata = item["metadata"]
        data = msgspec.json.encode(item)
        offset = self._file.seek(0, 2)
        self._file.write(data)
        name, namespace = metadata.get("name") or "", metadata.get("namespace") or ""
        self.entries.append(Entry(rank, str(namespace), str(name), offset, len(data)))

    def rewind(self, count: int) -> None:
        """Forget all objects but the first `count`."""
        if count < len(self.entries):
            self._file.truncate(self.entries[count].offset)
            del self.entries[count:]

    def read(self, entry: Entry) -> dict[str, Any]:
        self._file.seek(entry.offset)
        item: dict[str, Any] = msgspec.json.decode(self._file.read(entry.length))
        return item

    def items(self) -> Iterator[dict[str, Any]]:
        """All objects by kind, namespace and name."""
        return (self.read(entry) for entry in sorted(self.entries))
