"""A book as rows, and back; of two books only what differs is written."""

from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Table, delete, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.adapters.store.tables_incidents import alerts, entries, groups, incidents, silences, weather
from bot.adapters.store.writing import Row, upsert
from bot.domain.alert_state import AlertState, Group, Standing, Storm
from bot.domain.incident import Book, Entry, Happening, Incident
from bot.domain.silence import Silence

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
OVER_AT_MOST = 500  # incidents that are over, and kept in memory
DELETED_AT_ONCE = 200
_LINE = Entry.__struct_fields__


class _Weather(msgspec.Struct):
    opened: tuple[datetime, ...] = ()
    storm: Storm | None = None


# ---- writing -------------------------------------------------------------------------------------------------------


async def save(connection: AsyncConnection, before: Book, after: Book) -> None:
    """What differs. Both are of one cluster; numbers are the caller's."""
    cluster, old, new = after.cluster, before.alerts, after.alerts
    changed = _changed(old.alerts, new.alerts)
    rows = [{"cluster": cluster, "fingerprint": name, "body": _json(one)} for name, one in changed]
    await _put(connection, alerts, rows)
    kept = [
        {"cluster": cluster, "number": number, "body": _json(one)} for number, one in _changed(old.groups, new.groups)
    ]
    await _put(connection, groups, kept)
    await _gone(connection, alerts, cluster, sorted(old.alerts.keys() - new.alerts.keys()))
    await _gone(connection, groups, cluster, sorted(old.groups.keys() - new.groups.keys()))
    if (old.opened, old.storm) != (new.opened, new.storm):
        body = _json(_Weather(new.opened, new.storm))
        await _put(connection, weather, [{"cluster": cluster, "body": body}])
    await _incidents(connection, before, after)
    made = [_silence(one) for _, one in _changed(before.silences, after.silences)]
    await _put(connection, silences, made)


async def _incidents(connection: AsyncConnection, before: Book, after: Book) -> None:
    changed = list(_changed(before.incidents, after.incidents))
    await _put(connection, incidents, [_incident(one) for _, one in changed])
    lines = [row for number, one in changed for row in _lines(before.incidents.get(number), one)]
    await _put(connection, entries, lines)


def _lines(before: Incident | None, after: Incident) -> Iterator[Row]:
    """Lines are only ever added."""
    known = len(before.timeline) if before else 0
    for place, one in enumerate(after.timeline[known:], start=known):
        yield {
            "number": after.number,
            "place": place,
            **{name: getattr(one, name) for name in _LINE},
            "what": str(one.what),
        }


def _incident(one: Incident) -> Row:
    body = _json(msgspec.structs.replace(one, timeline=()))
    return {
        "number": one.number,
        "cluster": one.cluster,
        "state": str(one.state),
        "opened_at": one.opened_at,
        "body": body,
    }


def _silence(one: Silence) -> Row:
    return {"number": one.number, "cluster": one.cluster, "until": one.until, "body": _json(one)}


def _changed(before: Mapping[KeyT, ValueT], after: Mapping[KeyT, ValueT]) -> Iterator[tuple[KeyT, ValueT]]:
    for key, value in after.items():
        known = before.get(key)
        if known is not value and known != value:
            yield key, value


async def _put(connection: AsyncConnection, table: Table, rows: list[Row]) -> None:
    if rows:
        await connection.execute(upsert(table, connection.dialect.name), rows)


async def _gone(connection: AsyncConnection, table: Table, cluster: str, keys: list[Any]) -> None:
    column = table.c.fingerprint if table is alerts else table.c.number
    for start in range(0, len(keys), DELETED_AT_ONCE):
        some = [(cluster, key) for key in keys[start : start + DELETED_AT_ONCE]]
        await connection.execute(delete(table).where(tuple_(table.c.cluster, column).in_(some)))


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


# ---- reading -------------------------------------------------------------------------------------------------------


async def load(connection: AsyncConnection, cluster: str) -> Book:
    """Everything that counts of one cluster: of incidents that are over, the newest."""
    of_alerts = {one.alert.fingerprint: one async for one in _all(connection, alerts, cluster, Standing)}
    of_groups = {one.number: one async for one in _all(connection, groups, cluster, Group)}
    found = [one async for one in _all(connection, weather, cluster, _Weather)]
    now = found[0] if found else _Weather()
    return Book(
        cluster=cluster,
        alerts=AlertState(alerts=of_alerts, groups=of_groups, opened=now.opened, storm=now.storm),
        incidents=await _read_incidents(connection, cluster),
        silences={one.number: one async for one in _all(connection, silences, cluster, Silence)},
    )


async def _all(connection: AsyncConnection, table: Table, cluster: str, kind: type[ValueT]) -> AsyncIterator[ValueT]:
    ask = select(table.c.body).where(table.c.cluster == cluster).order_by(*table.primary_key.columns)
    for row in await connection.execute(ask):
        yield msgspec.json.decode(row.body, type=kind)


async def _read_incidents(connection: AsyncConnection, cluster: str) -> dict[int, Incident]:
    ask = select(incidents.c.body).where(incidents.c.cluster == cluster).order_by(incidents.c.number.desc())
    rows = (await connection.execute(ask)).all()
    read = (msgspec.json.decode(row.body, type=Incident) for row in rows)
    found = [one for place, one in enumerate(read) if place < OVER_AT_MOST or not one.state.over]
    lines: dict[int, list[Entry]] = {one.number: [] for one in found}
    mine = select(incidents.c.number).where(incidents.c.cluster == cluster)
    ask_lines = select(entries).where(entries.c.number.in_(mine)).order_by(entries.c.number, entries.c.place)
    for row in await connection.execute(ask_lines):
        if row.number in lines:
            told = {name: getattr(row, name) for name in _LINE} | {"what": Happening(row.what)}
            lines[row.number].append(Entry(**told))
    return {one.number: msgspec.structs.replace(one, timeline=tuple(lines[one.number])) for one in reversed(found)}
