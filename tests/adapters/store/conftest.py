"""A database file that is gone at the end of the test, and stores that are closed then."""

from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.store import Store

Opener = Callable[[], Coroutine[Any, Any, Store]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def url(file: Path) -> str:
    return f"sqlite+aiosqlite:///{file}"


@pytest.fixture
async def opened(url: str) -> AsyncIterator[Opener]:
    """Opens the file's store, as often as it is called."""
    stores: list[Store] = []

    async def open_store() -> Store:
        stores.append(await Store.open(url))
        return stores[-1]

    yield open_store
    for store in stores:
        await store.close()
