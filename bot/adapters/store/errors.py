"""What a database says, in one clause that a person can act on.

SQLite's codes: sqlite.org/rescode.html. Python names them in `sqlite_errorname`, without the finer part that some
have after them.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from bot.domain.errors import UpstreamError

_CLAUSES = {
    "SQLITE_FULL": "the disk of {where} is full",
    "SQLITE_READONLY": "{where} cannot be written to",
    "SQLITE_CANTOPEN": "{where} cannot be opened or made",
    "SQLITE_PERM": "{where} may not be opened",
    "SQLITE_NOTADB": "{where} is no SQLite database: move it away, and a new one is made",
    "SQLITE_CORRUPT": "{where} is damaged: move it away, and a new one is made",
    "SQLITE_BUSY": "{where} is held by another program",
    "SQLITE_LOCKED": "{where} is held by another program",
    "SQLITE_IOERR": "the disk of {where} fails",
}
_DETAIL_AT_MOST = 160


class StoreUnavailableError(UpstreamError):
    """The database cannot be used now. Its text is a clause; `retryable` is False where the same data fails again."""


@contextlib.contextmanager
def explained(url: URL) -> Iterator[None]:
    """Whatever goes wrong with the database inside becomes StoreUnavailableError."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:  # TimeoutError is an OSError
        raise unavailable(url, error) from error


def unavailable(url: URL, error: Exception) -> StoreUnavailableError:
    code = _sqlite_code(error)
    if isinstance(error, OSError) and url.get_backend_name() == "sqlite":
        code = "SQLITE_CANTOPEN"  # its folder could not be made
    clause = next((text for known, text in _CLAUSES.items() if code.startswith(known)), "")
    again = isinstance(error, OSError) or (isinstance(error, DBAPIError) and not isinstance(error, IntegrityError))
    return StoreUnavailableError(
        clause.format(where=where(url)) if clause else f"{where(url)} does not answer: {_detail(error)}",
        retryable=again,
    )


def where(url: URL) -> str:
    """The database as people know it: a path, or a URL without its password."""
    if url.get_backend_name() == "sqlite":
        return url.database or "the database in memory"
    return url.render_as_string(hide_password=True)


def _sqlite_code(error: Exception) -> str:
    found: Any = getattr(error, "orig", error)
    return getattr(found, "sqlite_errorname", "") or getattr(found.__cause__, "sqlite_errorname", "") or ""


def _detail(error: Exception) -> str:
    """The driver's own words, without the statement and its values."""
    found = getattr(error, "orig", None) or error
    return " ".join((str(found) or type(found).__name__).split())[:_DETAIL_AT_MOST]
