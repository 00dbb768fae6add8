"""A fake API server and a connection to it, both gone at the end of the test."""

from collections.abc import AsyncIterator

import pytest

from bot.adapters.cluster.connection import Connection, plain
from tests.adapters.cluster.fake_api import FakeApi, running


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    async with running() as server:
        yield server


@pytest.fixture
async def connection(api: FakeApi) -> AsyncIterator[Connection]:
    async with plain(api.url) as opened:
        yield opened
