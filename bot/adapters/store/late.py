"""A store that opens itself when it is first used, and again when that failed: nobody has to wait for a database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.adapters.store.engine import engine_for, parsed
from bot.adapters.store.errors import StoreUnavailableError, where
from bot.adapters.store.migrate import to_head
from bot.adapters.store.store import Store
from bot.domain.errors import ConfigError


class LateStore(Store):
    """Every use raises StoreUnavailableError as long as the database cannot be opened, and tries it anew."""

    @classmethod
    def at(cls, url: str) -> "LateStore":
        """Raises ConfigError for a URL that is none, or a driver that is not there."""
        place = parsed(url)
        return cls(place, engine_for(place))

    def __init__(self, url: URL, engine: AsyncEngine) -> None:
        super().__init__(url, engine)
        self._place, self._ready = url, False
        self._one_at_a_time = asyncio.Lock()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        await self._opened()
        async with super().transaction() as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        await self._opened()
        async with super().snapshot() as connection:
            yield connection

    async def _opened(self) -> None:
        """Its tables are made or brought up to date. Once."""
        if not self._ready:
            async with self._one_at_a_time:
                await self._migrate()

    async def _migrate(self) -> None:
        if self._ready:
            return
        try:
            async with super().transaction() as connection:
                await connection.run_sync(to_head, where(self._place))
        except ConfigError as error:  # a newer program's: a person has to decide
            raise StoreUnavailableError(str(error), retryable=False) from error
        self._ready = True
