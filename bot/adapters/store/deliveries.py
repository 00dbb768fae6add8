"""Which deliveries of Slack were acted on, so that a repeat finds that also after a restart, or at another replica."""

from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlalchemy.dialects import postgresql, sqlite

from bot.adapters.store.store import Store
from bot.adapters.store.tables_posts import deliveries

KEPT = timedelta(minutes=10)  # Slack repeats for six
KEY_MAX = 255


class Deliveries:
    """Each call is one transaction, and raises StoreUnavailableError where it cannot be made."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def is_first(self, key: str, now: datetime) -> bool:
        """True once per key within ten minutes, for all replicas together."""
        async with self._store.transaction() as connection:
            await connection.execute(delete(deliveries).where(deliveries.c.at < now - KEPT))
            add = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            mine = add(deliveries).values(key=key[:KEY_MAX], at=now).on_conflict_do_nothing()
            return (await connection.execute(mine)).rowcount == 1
