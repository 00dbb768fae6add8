"""Waiting for what a cache will come to know."""

import asyncio
from collections.abc import Callable

from bot.adapters.cluster.cache import WatchCache


async def until(cache: WatchCache, holds: Callable[[], bool]) -> None:
    """Wait for a change that makes it so."""
    changed = asyncio.Event()
    end = cache.on_change(lambda _: changed.set())
    try:
        async with asyncio.timeout(10):
            while not holds():
                try:
                    async with asyncio.timeout(0.05):  # a source's state changes without waking listeners
                        await changed.wait()
                except TimeoutError:
                    continue
                changed.clear()
    finally:
        end()
