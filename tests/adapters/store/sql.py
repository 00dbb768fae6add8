"""Looking into a database file, and breaking it, without the store."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def run(file: Path, *statements: str) -> list[tuple[Any, ...]]:
    """The rows of the last statement."""
    rows: list[tuple[Any, ...]] = []
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
    return rows


def count(file: Path, table: str) -> int:
    return int(run(file, f"SELECT count(*) FROM {table}")[0][0])


def content(file: Path) -> bytes:
    return file.read_bytes()


def overwrite(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def move_away(file: Path) -> None:
    file.rename(file.with_suffix(".old"))
