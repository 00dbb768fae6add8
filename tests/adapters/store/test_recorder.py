"""Commands read the history from memory; what changed is written behind them, and said where it cannot be."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path

import pytest

from bot.adapters.cluster.backoff import Backoff
from bot.adapters.store import Recorder
from bot.domain.errors import ConfigError
from bot.domain.history import UNSEEN
from bot.ports import HistoryReader
from bot.scheduling.history import story
from tests.adapters.store import sql
from tests.scheduling.observing import at, gone, started, waiting

QUOTA, FRAGMENTED = "quota.exhausted", "resources.fragmented"
NEVER = Backoff(3_600, 3_600)
SOON = Backoff(0.05, 0.05)


class Clock:
    """Says what it is told to."""

    def __init__(self) -> None:
        self.minutes = 0.0

    def __call__(self) -> datetime:
        return at(self.minutes)


Maker = Callable[..., Recorder]


@pytest.fixture
async def make(url: str) -> AsyncIterator[Maker]:
    """Makes recorders over the same file, all closed at the end."""
    made: list[Recorder] = []

    def make_recorder(backoff: Backoff = NEVER, where: str = url) -> Recorder:
        made.append(Recorder(where, ["prod"], now=Clock(), backoff=backoff))
        return made[-1]

    yield make_recorder
    for recorder in made:
        await recorder.close()


def reasons(reader: HistoryReader, uid: str = "u1") -> list[str]:
    return [spell.reason_id for spell in story(reader.history("prod"), uid)]


async def until(true: Callable[[], bool]) -> None:
    """Looks again and again, in a thread: the bot goes on meanwhile."""

    def look() -> None:
        end = time.monotonic() + 10
        while not true():
            assert time.monotonic() < end, "it never came true"
            time.sleep(0.005)

    await asyncio.to_thread(look)


async def test_what_is_seen_is_remembered_at_once(make: Maker) -> None:
    recorder = make()
    await recorder.start()
    assert len(recorder.observe("prod", [waiting(QUOTA)], at(0))) == 1
    assert reasons(recorder) == [QUOTA]
    assert recorder.history("prod").trouble == ""


async def test_what_is_seen_is_written_without_being_asked(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    await until(lambda: sql.count(file, "pod_wait_spell") == 1)


async def test_nothing_is_written_where_nothing_changed(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    assert await recorder.flush()
    before = sql.run(file, "SELECT changed_at FROM pod_wait")
    assert recorder.observe("prod", [waiting(QUOTA)], at(60)) == ()
    assert await recorder.flush()
    assert sql.run(file, "SELECT changed_at FROM pod_wait") == before


async def test_the_same_after_a_restart_opens_no_new_spell(make: Maker, file: Path) -> None:
    first = make()
    await first.start()
    first.observe("prod", [waiting(QUOTA)], at(0))
    await first.close()
    second = make()
    await second.start()
    assert second.history("prod") == first.history("prod")
    assert second.observe("prod", [waiting(QUOTA)], at(500)) == ()
    second.observe("prod", [waiting(FRAGMENTED)], at(600))
    await second.close()
    assert sql.count(file, "pod_wait_spell") == 2


async def test_closing_writes_what_is_left(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    await recorder.close()
    assert sql.count(file, "pod_wait_spell") == 1


async def test_a_failing_database_is_said_and_tried_again_until_it_takes_all(make: Maker, file: Path) -> None:
    recorder = make(SOON)
    await recorder.start()
    await asyncio.to_thread(sql.run, file, "ALTER TABLE pod_wait RENAME TO away")
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    await until(lambda: recorder.history("prod").trouble.startswith("history not kept: "))
    recorder.observe("prod", [waiting(FRAGMENTED)], at(60))
    assert reasons(recorder) == [QUOTA, FRAGMENTED], "memory goes on"
    await asyncio.to_thread(sql.run, file, "ALTER TABLE away RENAME TO pod_wait")
    await until(lambda: recorder.history("prod").trouble == "")
    assert sql.run(file, "SELECT reason_id FROM pod_wait_spell ORDER BY number") == [(QUOTA,), (FRAGMENTED,)]


async def test_a_database_that_is_none_is_said_and_replaced_once_it_is_moved_away(make: Maker, file: Path) -> None:
    sql.overwrite(file, b"This is no database. " * 100)
    recorder = make(SOON)
    await recorder.start()
    trouble = f"history not kept: {file} is no SQLite database: move it away, and a new one is made"
    assert recorder.history("prod").trouble == trouble
    assert recorder.history("any").trouble == trouble, "also for a cluster that nobody knew at the start"
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    sql.move_away(file)
    await until(lambda: recorder.history("prod").trouble == "")
    assert sql.count(file, "pod_wait_spell") == 1


async def test_a_database_that_opens_late_is_continued(make: Maker, file: Path) -> None:
    before = make()
    await before.start()
    before.observe("prod", [waiting(QUOTA), waiting(QUOTA, "u2"), waiting(QUOTA, "u3")], at(0))
    await before.close()
    whole = sql.content(file)
    sql.overwrite(file, b"This is no database. " * 100)
    recorder = make()
    await recorder.start()
    recorder.observe("prod", [waiting(QUOTA), waiting(QUOTA, "u2"), waiting(QUOTA, "u3")], at(60))
    recorder.observe("prod", [waiting(FRAGMENTED), started("u2"), gone("u3"), waiting(QUOTA, "u4", 0)], at(120))
    assert reasons(recorder) == [UNSEEN, QUOTA, FRAGMENTED], "it cannot know better"
    sql.overwrite(file, whole)
    assert await recorder.flush()
    assert reasons(recorder) == [QUOTA, FRAGMENTED]
    assert reasons(recorder, "u2") == [QUOTA]
    assert reasons(recorder, "u3") == []
    assert reasons(recorder, "u4") == [UNSEEN, QUOTA]
    assert sum(map(len, recorder.history("prod").runs.values())) == 1
    after = make()
    await after.start()
    assert after.history("prod") == recorder.history("prod")


async def test_a_replica_reads_what_another_wrote(make: Maker) -> None:
    leader, other = make(), make()
    await leader.start()
    await other.start()
    leader.observe("prod", [waiting(QUOTA)], at(0))
    assert await leader.flush()
    assert reasons(other) == []
    assert await other.reload("prod")
    assert reasons(other) == [QUOTA]
    other.observe("prod", [waiting(FRAGMENTED)], at(60))
    assert reasons(other) == [QUOTA, FRAGMENTED], "it may lead from now on"


async def test_reading_again_loses_nothing_that_is_not_written_yet(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    assert await recorder.flush()
    recorder.observe("prod", [waiting(FRAGMENTED)], at(60))
    assert await recorder.reload("prod")
    assert reasons(recorder) == [QUOTA, FRAGMENTED]
    assert await recorder.flush()
    assert sql.count(file, "pod_wait_spell") == 2


async def test_reading_well_does_not_hide_that_nothing_can_be_written(make: Maker, file: Path) -> None:
    await make().start()
    recorder = make(where=f"sqlite:///file:{file}?mode=ro&uri=true")
    await recorder.start()
    assert recorder.history("prod").trouble == "", "there is nothing to write yet"
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    assert not await recorder.reload("prod")
    assert recorder.history("prod").trouble.endswith("cannot be written to")


async def test_a_newer_programs_database_ends_the_start(make: Maker, file: Path) -> None:
    await make().start()
    sql.run(file, "UPDATE gpubot_schema SET version_num = '0999'")
    with pytest.raises(ConfigError, match="made by a newer gpubot"):
        await make().start()


async def test_data_that_can_never_be_written_is_given_up(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    sql.run(
        file, "CREATE TRIGGER no BEFORE INSERT ON pod_wait WHEN new.uid = 'u1' BEGIN SELECT RAISE(ABORT, 'never'); END"
    )
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    assert not await recorder.flush()
    assert recorder.history("prod").trouble.endswith("does not answer: never; changes lost: 1")
    recorder.observe("prod", [waiting(QUOTA, "u2")], at(0))
    assert await recorder.flush()
    assert recorder.history("prod").trouble == ""
    assert sql.run(file, "SELECT uid FROM pod_wait") == [("u2",)]


async def test_pruning_forgets_in_memory_and_in_the_database(make: Maker, file: Path) -> None:
    recorder = make()
    await recorder.start()
    recorder.observe("prod", [waiting(QUOTA)], at(0))
    recorder.observe("prod", [started()], at(60))
    assert await recorder.flush()
    assert await recorder.prune(at(31 * 24 * 60)) == 0
    assert recorder.history("prod").runs == {}
    assert await recorder.prune(at(31 * 24 * 60), days=30) == 1
    assert sql.count(file, "pod_wait") == 0


async def test_pruning_a_database_that_is_out_of_reach_is_no_error(make: Maker) -> None:
    recorder = make(where="sqlite:////proc/history.db")
    await recorder.start()
    assert await recorder.prune(at(0)) == 0
    assert recorder.history("prod").trouble == "history not kept: /proc/history.db cannot be opened or made"


async def test_closing_before_the_start_is_fine(make: Maker) -> None:
    await make().close()
