"""A connection to a SQLite file, set up before anybody uses it.

sqlite.org/wal.html: readers and one writer do not wait for each other; with `synchronous=NORMAL` a power failure may
lose the last transactions, never the file. Needs a disk of this machine, no network share.
"""

import asyncio
import sqlite3
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import aiosqlite

BUSY_SECONDS = 5.0
_PRAGMAS = ("synchronous=NORMAL", "foreign_keys=ON")
_ROWS_AT_ONCE = 64  # aiosqlite's own default


async def connected(path: str, options: Mapping[str, Any]) -> aiosqlite.Connection:
    """Raises sqlite3.Error. `options` are those of sqlite3.connect."""
    connection = aiosqlite.Connection(partial(_set_up, path, options), _ROWS_AT_ONCE)
    connection._thread.daemon = True  # a connection that nobody closed must not keep the program alive
    try:
        return await connection
    except BaseException:
        await asyncio.to_thread(connection._thread.join, BUSY_SECONDS)  # it still reports to the loop at its end
        raise


def _set_up(path: str, options: Mapping[str, Any]) -> sqlite3.Connection:
    """Runs in the connection's thread. `isolation_level` None: transactions begin and end where SQLAlchemy says so."""
    chosen = {**options, "timeout": BUSY_SECONDS, "isolation_level": None}
    connection: sqlite3.Connection = sqlite3.connect(path, **chosen)
    try:
        _use_wal(connection)
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    """The one statement that SQLite does not wait for when two programs make the file at once."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return
