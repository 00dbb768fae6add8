"""Identifiers: timestamps that only grow, ids that are the same in every run, and secrets that cannot be guessed."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable


class Ids:
    """Deterministic for a given clock, except `secret`: response URLs must not be guessable by another page."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last_microseconds = 0
        self._counter = itertools.count(1)

    def ts(self) -> str:
        """A message timestamp: seconds, a dot and six digits. Later ones compare greater as strings."""
        self._last_microseconds = max(int(self._clock() * 1e6), self._last_microseconds + 1)
        seconds, microseconds = divmod(self._last_microseconds, 1_000_000)
        return f"{seconds:010d}.{microseconds:06d}"

    def next(self, prefix: str) -> str:
        """An id such as V00000007."""
        return f"{prefix}{next(self._counter):08d}"

    def secret(self) -> str:
        return secrets.token_hex(16)
