"""A node with its agent, and an API server that knows their pods: all on loopback, gone at the end of the test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

import bot.adapters.nodes.direct  # noqa: F401  # loaded before anything is held to a time
from tests.adapters.nodes.fakes import FakeAgent, FakeCluster


@asynccontextmanager
async def serving(handler: object) -> AsyncIterator[int]:
    runner = web.ServerRunner(web.Server(handler, access_log=None), shutdown_timeout=0.1)  # type: ignore[arg-type]
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield int(runner.addresses[0][1])
    await runner.cleanup()


@pytest.fixture
async def agent() -> AsyncIterator[FakeAgent]:
    made = FakeAgent()
    async with serving(made.handle) as made.port:
        yield made


@pytest.fixture
async def cluster(agent: FakeAgent) -> AsyncIterator[FakeCluster]:
    """gpu-1 has the agent; further pods are added by tests."""
    made = FakeCluster()
    made.add("gpubot", "gpubot-agent-1", "gpu-1", {"agent": agent.port})
    async with serving(made.handle) as port:
        made.url = f"http://127.0.0.1:{port}"
        yield made
