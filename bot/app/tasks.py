"""Tasks that run beside everything else until they are ended."""

import asyncio


async def ended(task: asyncio.Task[None]) -> None:
    """Cancels it and waits until it is over."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
