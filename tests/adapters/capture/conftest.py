"""The embedded API server with a small cluster in it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import msgspec
import pytest

from bot.adapters.cluster import connection
from bot.adapters.cluster.connection import Connection
from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import Store
from tests.adapters.capture.cluster_objects import Object, cluster

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def load(store: Store, objects: dict[str, list[Object]]) -> None:
    """Put objects into the store as they are, status and all."""
    for resource in store.resources.values():
        if resource.plural in objects and resource.group != "metrics.k8s.io":
            store.load_encoded(resource, [msgspec.json.encode(one) for one in objects[resource.plural]])


@pytest.fixture
async def server() -> AsyncIterator[ApiServer]:
    store = Store(clock=lambda: NOW)
    load(store, cluster())
    api = ApiServer(store)
    await api.start()
    yield api
    await api.stop()


@pytest.fixture
async def live(server: ApiServer) -> AsyncIterator[Connection]:
    opened = connection.plain(server.url)
    yield opened
    await opened.close()
