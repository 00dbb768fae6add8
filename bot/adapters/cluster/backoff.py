"""How long to wait before trying again."""

import random
from collections.abc import Callable


class Backoff:
    """Doubles from `first_seconds` to `longest_seconds`; each wait is a random half to whole of that.

    The randomness keeps the feeds of many kinds, and of many bots, from coming back all at once.
    """

    def __init__(
        self,
        first_seconds: float = 0.8,
        longest_seconds: float = 30.0,
        *,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._first = first_seconds
        self._longest = longest_seconds
        self._chance = chance
        self._failures = 0

    def next_seconds(self) -> float:
        """The wait after one more failure."""
        whole = min(self._longest, self._first * 2.0 ** min(self._failures, 30))
        self._failures += 1
        return whole * (0.5 + self._chance() / 2)

    def reset(self) -> None:
        """It went well."""
        self._failures = 0
