"""What nodes ran, in the database: written as it changes, read back once at the start."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Delete, Row, Select, delete, select

from bot.adapters.store.store import Store
from bot.adapters.store.tables_node_versions import node_versions
from bot.adapters.store.writing import upsert
from bot.domain.node_past import VALUES_AT_MOST, FleetPast, Held, NodePast

Changed = Mapping[tuple[str, str], NodePast]  # by cluster and node
ROWS_AT_MOST = 200_000  # of one cluster: a thousand nodes, twenty versions of ten parts
_MARGIN = timedelta(days=1)  # nodes are marked as seen once a day


class NodeVersions:
    """That table of an open database. Raises StoreUnavailableError throughout."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def keep(self, changed: Changed) -> None:
        """All of them or none. Keys are natural: what is written twice is there once."""
        rows = [row for (cluster, _), past in changed.items() for row in rows_of(cluster, past)]
        if rows:
            async with self._store.transaction() as connection:
                await connection.execute(upsert(node_versions, connection.dialect.name), rows)

    async def past(self, cluster: str) -> FleetPast:
        async with self._store.snapshot() as connection:
            rows = (await connection.execute(of_cluster(cluster))).all()
        return past_of(cluster, rows)

    async def forget(self, now: datetime, days: int) -> int:
        """Nodes that were not seen for so long, and versions that ended before; how many rows that were."""
        async with self._store.transaction() as connection:
            gone = await connection.execute(not_seen_since(now - timedelta(days=days) - _MARGIN))
            ended = await connection.execute(ended_before(now - timedelta(days=days)))
        return gone.rowcount + ended.rowcount


def rows_of(cluster: str, past: NodePast) -> list[dict[str, Any]]:
    return [
        {
            "cluster": cluster,
            "node": past.node,
            "part": part,
            "began_at": one.since,
            "value": one.value[:253],
            "told_by": one.by,
            "ended_at": one.until,
            "seen_at": past.seen_at,
        }
        for part, held in past.parts.items()
        for one in held
    ]


def of_cluster(cluster: str) -> Select[Any]:
    """The newest rows of that cluster, a node's together and the oldest of them first."""
    columns = node_versions.c
    newest = (
        select(node_versions).where(columns.cluster == cluster).order_by(columns.seen_at.desc()).limit(ROWS_AT_MOST)
    ).subquery()
    return select(newest).order_by(newest.c.node, newest.c.part, newest.c.began_at)


def not_seen_since(when: datetime) -> Delete:
    return delete(node_versions).where(node_versions.c.seen_at < when)


def ended_before(when: datetime) -> Delete:
    return delete(node_versions).where(node_versions.c.ended_at < when)


def past_of(cluster: str, rows: Iterable[Row[Any]]) -> FleetPast:
    by_node: dict[str, dict[str, list[Row[Any]]]] = {}
    for row in rows:
        by_node.setdefault(row.node, {}).setdefault(row.part, []).append(row)
    nodes = {name: _node(name, parts) for name, parts in by_node.items()}
    begun = min((one.since for node in nodes.values() for held in node.parts.values() for one in held), default=None)
    return FleetPast(cluster=cluster, nodes=nodes, since=begun)


def _node(name: str, parts: Mapping[str, Sequence[Row[Any]]]) -> NodePast:
    held = {part: tuple(map(_held, rows[-VALUES_AT_MOST:])) for part, rows in parts.items()}
    return NodePast(node=name, parts=held, seen_at=max(row.seen_at for rows in parts.values() for row in rows))


def _held(row: Row[Any]) -> Held:
    return Held(value=row.value, since=row.began_at, until=row.ended_at, by=row.told_by)
