"""An engine for a URL: which driver, and when a transaction takes its lock."""

from pathlib import Path
from typing import Any

import aiosqlite
from sqlalchemy import Connection, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, InvalidRequestError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from bot.adapters.store.sqlite import connected
from bot.domain.errors import ConfigError

_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}


def parsed(url: str) -> URL:
    """The URL with a driver that can be awaited. Raises ConfigError, without the URL: it may hold a password."""
    try:
        found = make_url(url)
    except ArgumentError as error:
        raise ConfigError(
            "The store's URL cannot be read: write sqlite+aiosqlite:///path/to/history.db, or postgresql+asyncpg://…"
        ) from error
    return found.set(drivername=_DRIVERS.get(found.drivername, found.drivername))


def engine_for(url: URL) -> AsyncEngine:
    """Connects to nothing yet, and makes no folder. Raises ConfigError for a wrong or missing driver."""
    try:
        if url.drivername == "sqlite+aiosqlite":
            return _sqlite(url)
        if url.drivername.startswith("postgresql+"):
            return create_async_engine(url, pool_pre_ping=True)
    except (NoSuchModuleError, InvalidRequestError) as error:
        raise _unknown(url) from error
    except ImportError as error:
        raise ConfigError(f"The store's driver {url.get_driver_name()} is not installed: pip install it.") from error
    raise _unknown(url)


def _unknown(url: URL) -> ConfigError:
    return ConfigError(f"The store cannot be {url.drivername}: use sqlite+aiosqlite or postgresql+asyncpg.")


def _sqlite(url: URL) -> AsyncEngine:
    in_memory = url.database in (None, "", ":memory:")
    (path,), options = url.get_dialect()().create_connect_args(url)
    folder = None if in_memory or "uri" in url.query else Path(url.database or "").parent

    async def connect() -> aiosqlite.Connection:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)  # a moment, and only at a connection's start
        return await connected(path, options)

    pool: dict[str, Any] = {"poolclass": StaticPool} if in_memory else {}
    engine = create_async_engine(url, async_creator=connect, **pool)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    """A transaction that will write takes the lock first: one that took it later could fail without waiting."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
