"""What went over the wire, newest last, capped: for tests, for `gpubot demo` and for a curious reader."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Record(NamedTuple):
    """`direction` is "in" (from the bot) or "out" (to the bot); `kind` a Web API method or an envelope type."""

    at: float
    direction: str
    kind: str
    payload: Any


class Journal:
    def __init__(self, clock: Callable[[], float], capacity: int = 2000) -> None:
        self._clock = clock
        self._records: deque[Record] = deque(maxlen=capacity)

    def note(self, direction: str, kind: str, payload: Any) -> None:
        self._records.append(Record(self._clock(), direction, kind, payload))

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, index: int) -> Record:
        return self._records[index]
