"""One engine and an API server: on loopback, gone at the end of the test."""

from collections.abc import AsyncIterator

import pytest

import bot.adapters.nodes.direct  # noqa: F401  # loaded before anything is held to a time
from tests.adapters.engines.fakes import FakeEngine, surroundings
from tests.adapters.nodes.fakes import FakeCluster


@pytest.fixture
async def around() -> AsyncIterator[tuple[FakeCluster, FakeEngine]]:
    async with surroundings() as both:
        yield both
