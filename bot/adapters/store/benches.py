"""Measurements of engines in the database: the newest of each workload are kept, older ones give way."""

import msgspec
from sqlalchemy import delete, insert, select

from bot.adapters.store.store import Store
from bot.adapters.store.tables_benches import benches
from bot.domain.bench import Bench

KEPT = 20  # of each workload


class Benches:
    """That table. Raises StoreUnavailableError throughout."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def keep(self, bench: Bench) -> None:
        """Beside the last few of that workload."""
        columns = benches.c
        of_it = (columns.cluster == bench.cluster, columns.workload == bench.workload)
        newest = select(columns.number).where(*of_it).order_by(columns.at.desc(), columns.number.desc()).limit(KEPT)
        row = {
            "cluster": bench.cluster,
            "workload": bench.workload,
            "at": bench.at,
            "body": msgspec.json.encode(bench).decode(),
        }
        async with self._store.transaction() as connection:
            await connection.execute(insert(benches), [row])
            kept = [one.number for one in await connection.execute(newest)]
            await connection.execute(delete(benches).where(*of_it, columns.number.not_in(kept)))

    async def last(self, cluster: str, workload: str) -> Bench | None:
        """The newest; None where there is none, or where it was written in a form that is not read any more."""
        columns = benches.c
        newest = (
            select(columns.body)
            .where(columns.cluster == cluster, columns.workload == workload)
            .order_by(columns.at.desc(), columns.number.desc())
            .limit(1)
        )
        async with self._store.snapshot() as connection:
            body = (await connection.execute(newest)).scalar()
        try:
            return msgspec.json.decode(body, type=Bench) if body else None
        except msgspec.DecodeError:
            return None
