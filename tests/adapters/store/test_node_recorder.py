"""What nodes ran is read from memory at once, kept over restarts, and written behind; what is gone is forgotten."""

from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql

from bot.adapters.cluster.backoff import Backoff
from bot.adapters.store import node_versions
from bot.adapters.store.node_recorder import NodeRecorder
from bot.adapters.store.tables_node_versions import node_versions as table
from bot.adapters.store.writing import upsert
from bot.domain.errors import ConfigError
from bot.gpu.past import Said
from bot.ports import NodePastReader
from tests.adapters.store import sql
from tests.factories import NOW

Maker = Callable[..., NodeRecorder]
OLD, NEW = {"driver": Said("580.82.07", "agent")}, {"driver": Said("580.95.05", "agent")}


@pytest.fixture
async def make(url: str) -> AsyncIterator[Maker]:
    """Makes recorders over the same file, all closed at the end."""
    made: list[NodeRecorder] = []

    def make_recorder(where: str = url) -> NodeRecorder:
        made.append(NodeRecorder(where, ["prod"], backoff=Backoff(3_600, 3_600)))
        return made[-1]

    yield make_recorder
    for recorder in made:
        await recorder.close()


def day(number: int) -> datetime:
    return NOW + timedelta(days=number)


def drivers(reader: NodePastReader, node: str = "gpu-1") -> list[str]:
    past = reader.past("prod").of(node)
    return [one.value for one in past.parts["driver"]] if past else []


async def test_what_is_seen_is_remembered_at_once_and_written(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    assert len(recorder.look("prod", {"gpu-1": OLD}, day(0))) == 1
    assert len(recorder.look("prod", {"gpu-1": NEW}, day(1))) == 1
    assert drivers(recorder) == ["580.82.07", "580.95.05"]
    assert await recorder.flush()
    assert sql.run(file, "SELECT value, ended_at IS NULL FROM node_version ORDER BY began_at") == [
        ("580.82.07", 0),
        ("580.95.05", 1),
    ]


async def test_it_is_kept_over_a_restart(make: Maker) -> None:
    first = make()
    await first.start()
    first.look("prod", {"gpu-1": OLD}, day(0))
    first.look("prod", {"gpu-1": NEW}, day(1))
    await first.close()
    second = make()
    await second.start()
    assert second.past("prod") == first.past("prod")
    assert second.look("prod", {"gpu-1": NEW}, day(2)) == (), "the same is no change"
    [changed] = second.look("prod", {"gpu-1": OLD}, day(3))
    assert [one.value for one in changed.parts["driver"]] == ["580.82.07", "580.95.05", "580.82.07"]


async def test_where_nothing_changes_a_node_is_marked_as_seen_once_a_day(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    for hours in (0, 1, 23):
        recorder.look("prod", {"gpu-1": OLD}, NOW + timedelta(hours=hours))
        assert await recorder.flush()
    marked = sql.run(file, "SELECT seen_at FROM node_version")
    recorder.look("prod", {"gpu-1": OLD}, NOW + timedelta(hours=24))
    assert await recorder.flush()
    assert marked != sql.run(file, "SELECT seen_at FROM node_version")
    assert marked[0][0].startswith(f"{NOW:%Y-%m-%d %H:%M}")


async def test_a_database_that_fails_is_said_and_takes_all_later(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    sql.run(file, "ALTER TABLE node_version RENAME TO away")
    recorder.look("prod", {"gpu-1": OLD}, day(0))
    assert not await recorder.flush()
    assert recorder.past("prod").trouble.startswith("versions of nodes not kept: ")
    assert drivers(recorder) == ["580.82.07"], "memory goes on"
    sql.run(file, "ALTER TABLE away RENAME TO node_version")
    assert await recorder.flush()
    assert recorder.past("prod").trouble == ""
    assert sql.count(file, "node_version") == 1


async def test_what_was_seen_before_the_database_could_be_read_continues_it(make: Maker, file: Path) -> None:
    first = make()
    await first.start()
    first.look("prod", {"gpu-1": OLD}, day(0))
    await first.close()
    whole = sql.content(file)
    sql.overwrite(file, b"This is no database. " * 100)
    late = make()
    await late.start()
    late.look("prod", {"gpu-1": NEW, "gpu-2": NEW}, day(2))
    sql.overwrite(file, whole)
    assert await late.flush()
    assert drivers(late) == ["580.82.07", "580.95.05"]
    assert drivers(late, "gpu-2") == ["580.95.05"]
    assert sql.count(file, "node_version") == 3


async def test_nodes_that_are_gone_are_forgotten_and_so_are_versions_of_long_ago(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    recorder.look("prod", {"gpu-1": OLD, "gone": OLD}, day(0))
    recorder.look("prod", {"gpu-1": NEW}, day(1))
    recorder.look("prod", {"gpu-1": NEW}, day(100))
    await recorder.prune(day(100), days=90)
    assert recorder.past("prod").of("gone") is None
    assert sql.run(file, "SELECT node, value FROM node_version") == [("gpu-1", "580.95.05")]


async def test_a_url_that_cannot_work_is_told_at_the_start(make: Maker) -> None:
    with pytest.raises(ConfigError):
        await make("history.db").start()


def test_every_statement_can_be_said_to_postgresql() -> None:
    for statement in (
        node_versions.of_cluster("prod"),
        node_versions.not_seen_since(NOW),
        node_versions.ended_before(NOW),
        upsert(table, "postgresql"),
    ):
        assert "node_version" in str(statement.compile(dialect=postgresql.dialect()))
