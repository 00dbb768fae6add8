"""How patient and how hasty a cache is. Tests hand in a clock of their own."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.adapters.cluster.backoff import Backoff


@dataclass(frozen=True)
class Pace:
    """Waits in seconds. The defaults are those of client-go's reflector where it has one.

    `silence_seconds` is how long a watch may bring no byte: API servers send a bookmark about every minute, so four
    minutes without any mean that the connection is dead on the other side.
    """

    page_limit: int = 500
    list_seconds: float = 60.0  # without a byte of a list
    silence_seconds: float = 240.0
    watch_seconds: tuple[int, int] = (300, 600)  # how long the server is asked to keep a watch open: random within
    slow_seconds: float = 60.0  # before a kind that is forbidden or absent is asked for again
    first_backoff_seconds: float = 0.8
    longest_backoff_seconds: float = 30.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def backoff(self) -> Backoff:
        return Backoff(self.first_backoff_seconds, self.longest_backoff_seconds, chance=self.chance)

    def timeout_seconds(self) -> int:
        """How long the next watch shall last; random, so that not all watches end together."""
        shortest, longest = self.watch_seconds
        return shortest + round(self.chance() * (longest - shortest))
