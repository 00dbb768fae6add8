"""A database opens at what this program knows, or one sentence says why it does not."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, event
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import create_async_engine

from bot.adapters.store import Store, StoreUnavailableError, reading, writing
from bot.adapters.store.engine import engine_for, parsed
from bot.adapters.store.errors import unavailable
from bot.adapters.store.migrate import OPTIONS
from bot.adapters.store.schema import metadata
from bot.adapters.store.tables import spells, waits
from bot.domain.errors import ConfigError
from bot.domain.history import Change
from tests.adapters.store import sql
from tests.adapters.store.conftest import Opener
from tests.scheduling.observing import at, remembered, waiting

ROOT = Path(__file__).parents[3]
HEAD = max(path.name[1:5] for path in (ROOT / "bot/adapters/store/migrations/versions").glob("r*.py"))


def a_change(reason: str = "quota.exhausted", uid: str = "u1") -> dict[tuple[str, str], Change]:
    return {("prod", uid): Change(remembered((0, waiting(reason, uid))).waits[uid], 1)}


async def test_an_empty_place_becomes_a_database_in_wal_mode(opened: Opener, file: Path) -> None:
    await opened()
    assert sql.count(file, "pod_wait") == 0
    assert sql.run(file, "PRAGMA journal_mode") == [("wal",)]


async def test_the_folder_is_made_where_it_is_missing(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/not/there/history.db")
    await store.close()
    assert (tmp_path / "not" / "there" / "history.db").is_file()


async def test_migrations_and_tables_are_the_same(opened: Opener, url: str) -> None:
    await opened()
    engine = create_async_engine(url)

    def differences(connection: Connection) -> object:
        options = {**OPTIONS, "include_name": lambda name, kind, _: kind != "table" or name in metadata.tables}
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)

    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


async def test_a_database_opens_again_with_what_was_written(opened: Opener) -> None:
    store = await opened()
    await store.save(a_change(), at(0))
    await store.close()
    assert list((await (await opened()).load("prod", at(1))).waits) == ["u1"]


async def test_several_open_it_at_once(opened: Opener, file: Path) -> None:
    stores = await asyncio.gather(*(opened() for _ in range(4)))
    await asyncio.gather(*(store.save(a_change(uid=f"u{number}"), at(0)) for number, store in enumerate(stores)))
    assert sql.count(file, "pod_wait") == 4
    assert sql.run(file, "SELECT * FROM gpubot_schema") == [(HEAD,)]


def test_two_programs_open_it_at_once(url: str, file: Path) -> None:
    program = (
        "import asyncio, sys; from bot.adapters.store import Store\n"
        "async def main():\n"
        "    print('ready', flush=True); sys.stdin.readline()\n"
        f"    await (await Store.open({url!r})).close()\n"
        "asyncio.run(main())"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdin=-1, stdout=-1, stderr=-1) for _ in range(2)
    ]
    for one in started:
        assert one.stdout is not None
        one.stdout.readline()
    for one in started:
        assert one.stdin is not None
        one.stdin.write(b"\n")
        one.stdin.flush()
    said = [one.communicate(timeout=30) for one in started]
    assert [one.returncode for one in started] == [0, 0], said
    assert sql.run(file, "SELECT * FROM gpubot_schema") == [(HEAD,)]


async def test_a_file_that_another_program_is_making_is_waited_for(opened: Opener, file: Path) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    opening = asyncio.create_task(opened())
    assert not (await asyncio.wait([opening], timeout=0.1))[0], "the file cannot be set up yet"
    other.close()
    await opening


async def test_a_newer_programs_database_is_refused(opened: Opener, file: Path) -> None:
    await (await opened()).close()
    sql.run(file, "UPDATE gpubot_schema SET version_num = '0999'")
    with pytest.raises(ConfigError) as refused:
        await opened()
    assert str(refused.value) == (
        f"{file} was made by a newer gpubot (its tables are at 0999, this one knows them up to {HEAD}): "
        "start the newer gpubot, or name another database."
    )


async def test_a_step_that_fails_leaves_the_database_as_it_was(opened: Opener, file: Path) -> None:
    sql.run(file, "CREATE TABLE pod_wait_spell (other TEXT)")
    with pytest.raises(StoreUnavailableError, match="already exists"):
        await opened()
    assert sql.run(file, "SELECT name FROM sqlite_master") == [("pod_wait_spell",)]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        pytest.param("history.db", "The store's URL cannot be read", id="a path is no URL"),
        pytest.param("sqlite+pysqlite:///h.db", "cannot be sqlite.pysqlite", id="a driver that would block"),
        pytest.param("oracle://u:geheim@h/d", "cannot be oracle", id="a database that is not known"),
        pytest.param("mysql+aiomysql://u:geheim@h/d", "cannot be mysql", id="a database that was not thought of"),
        pytest.param("postgresql://u:geheim@h/d", "driver asyncpg is not installed", id="a driver that is missing"),
    ],
)
async def test_a_url_that_cannot_work_is_told_without_its_password(url: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as refused:
        await Store.open(url)
    assert "geheim" not in str(refused.value)


def test_a_database_that_does_not_answer_is_told_without_its_password() -> None:
    told = unavailable(parsed("postgresql://bot:geheim@db/gpubot"), ConnectionRefusedError("no one is there"))
    assert str(told) == "postgresql+asyncpg://bot:***@db/gpubot does not answer: no one is there"
    assert told.retryable


async def test_another_kind_of_file_is_left_alone(opened: Opener, file: Path) -> None:
    sql.overwrite(file, b"This is no database. " * 100)
    with pytest.raises(StoreUnavailableError, match="is no SQLite database: move it away") as told:
        await opened()
    assert told.value.retryable
    assert sql.content(file).startswith(b"This is no database.")


async def test_a_damaged_file_says_so(opened: Opener, file: Path) -> None:
    store = await opened()
    for number in range(40):
        await store.save(a_change(uid=f"u{number}"), at(0))
    await store.close()
    whole = sql.content(file)
    sql.overwrite(file, whole[:100] + b"\xff" * (len(whole) - 100))
    with pytest.raises(StoreUnavailableError, match=f"{file} is damaged"):
        await opened()


async def test_a_file_that_may_only_be_read(opened: Opener, file: Path) -> None:
    await (await opened()).close()
    store = await Store.open(f"sqlite:///file:{file}?mode=ro&uri=true")
    assert (await store.load("prod", at(0))).waits == {}, "reading is something"
    with pytest.raises(StoreUnavailableError, match="cannot be written to"):
        await store.save(a_change(), at(0))
    await store.close()


@pytest.mark.parametrize(
    "place", [pytest.param("/proc/h.db", id="no file can be made"), pytest.param("/proc/a/h.db", id="no folder can be")]
)
async def test_a_place_where_nothing_can_be_written(place: str) -> None:
    with pytest.raises(StoreUnavailableError, match=f"^{place} cannot be opened or made$"):
        await Store.open(f"sqlite:///{place}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
async def test_a_folder_that_may_only_be_read(opened: Opener, tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o500)
    with pytest.raises(StoreUnavailableError, match="cannot be opened or made"):
        await opened()


async def test_a_full_disk(opened: Opener, file: Path, url: str) -> None:
    await (await opened()).close()
    engine = engine_for(parsed(url))
    event.listen(engine.sync_engine, "begin", lambda one: one.exec_driver_sql("PRAGMA max_page_count=1"))
    store = Store(parsed(url), engine)
    with pytest.raises(StoreUnavailableError, match=f"the disk of {file} is full") as told:
        await store.save(
            {("prod", f"u{n}"): change for n in range(200) for change in a_change(uid=f"u{n}").values()}, at(0)
        )
    await store.close()
    assert told.value.retryable
    assert sql.count(file, "pod_wait") == 0


def test_every_statement_can_be_said_to_postgresql() -> None:
    statements = [
        reading.alive("prod", at(0)),
        reading.started("prod", at(0)),
        reading.remembering_since("prod"),
        writing.upsert(waits, "postgresql"),
        writing.upsert(spells, "postgresql"),
        writing.FORGET_SPELLS,
        writing.HOW_MANY,
        writing.oldest_waits(5, at(0)),
        writing.too_many_spells(),
    ]
    said = [str(statement.compile(dialect=postgresql.dialect())) for statement in statements]
    assert sum("ON CONFLICT (cluster, uid" in one for one in said) == 2
