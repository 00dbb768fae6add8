"""An agent under test: its flags, its address, its pages."""

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from bot.agent.agent import Agent
from bot.agent.options import Options, arguments, options
from bot.agent.process import Worker
from tests.agent.watching import Actor


def chosen(*flags: str) -> Options:
    parser = argparse.ArgumentParser()
    arguments(parser)
    return options(parser.parse_args(["--node", "gpu-a", "--listen", "127.0.0.1:0", *flags]))


@asynccontextmanager
async def serving(agent: Agent) -> AsyncIterator[str]:
    """The agent's address while it runs."""
    running = asyncio.create_task(agent.run())
    while not agent.port and not running.done():
        await asyncio.wait((running,), timeout=0.005)
    try:
        yield f"127.0.0.1:{agent.port}"
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def get(url: str, **more: Any) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url, **more) as answer:
        return answer.status, await answer.text()


async def nobody() -> Worker:
    return Actor()
