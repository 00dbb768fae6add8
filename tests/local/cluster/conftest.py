"""A store and an API server that start with two namespaces and one node."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest

from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import Store
from tests.local.cluster.api_objects import NAMESPACES, NODES, Http, Kubectl, node

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def store() -> Store:
    """No kubelet runs here, so pods go at once unless a test asks for grace."""
    made = Store(clock=lambda: NOW, graceful_pods=False)
    for name in ("default", "other"):
        made.create(NAMESPACES, "", {"metadata": {"name": name}})
    made.create(NODES, "", node("gpu-0"))
    return made


@pytest.fixture
async def server(store: Store) -> AsyncIterator[ApiServer]:
    api = ApiServer(store, logs=lambda namespace, pod, container, query: f"{pod}/{container} starts\nand runs\n")
    await api.start()
    yield api
    await api.stop()


@pytest.fixture
async def http(server: ApiServer) -> AsyncIterator[Http]:
    async with aiohttp.ClientSession() as session:
        yield Http(session, server.url)


@pytest.fixture
def kubectl(server: ApiServer, tmp_path: Path) -> Kubectl:
    server.write_kubeconfig(tmp_path / "config")
    return Kubectl(tmp_path / "config", tmp_path / "cache")
