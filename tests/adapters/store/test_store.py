"""What is written is read back, once, and goes when it is old."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.store import Store, StoreUnavailableError
from bot.domain.history import SPELLS_AT_MOST, UNSEEN, Change, History, Observation
from bot.scheduling.history import applied, changes, story
from tests.adapters.store import sql
from tests.adapters.store.conftest import Opener
from tests.scheduling.observing import at, gone, started, waiting

QUOTA, FRAGMENTED, GATED = "quota.exhausted", "resources.fragmented", "queue.gated"
EMPTY = History(cluster="prod")
DAY = 24 * 60


async def sweep(store: Store, history: History, minutes: float, *seen: Observation) -> History:
    """The history after a sweep that was written too."""
    now = at(minutes)
    changed = changes(history, seen, now)
    if changed:
        await store.save({(history.cluster, change.wait.uid): change for change in changed}, now)
    return applied(history, changed, now)


async def test_spells_come_back_as_they_were(opened: Opener) -> None:
    store = await opened()
    history = await sweep(store, EMPTY, 0, waiting(QUOTA), waiting(GATED, "u2"))
    history = await sweep(store, history, 240, waiting(FRAGMENTED), started("u2"))
    assert await store.load("prod", at(300)) == history


async def test_clusters_are_apart(opened: Opener) -> None:
    store = await opened()
    prod = await sweep(store, EMPTY, 0, waiting(QUOTA))
    test = await sweep(store, History(cluster="test"), 5, waiting(GATED))
    assert await store.load("prod", at(10)) == prod
    assert await store.load("test", at(10)) == test
    assert await store.load("other", at(10)) == History(cluster="other")


async def test_writing_the_same_again_leaves_the_same_rows(opened: Opener, file: Path) -> None:
    store = await opened()
    history = await sweep(store, EMPTY, 0, waiting(QUOTA), waiting(GATED, "u2"))
    before = sql.run(file, "SELECT * FROM pod_wait_spell ORDER BY uid")
    await store.save({("prod", wait.uid): Change(wait, 1) for wait in history.waits.values()}, at(0))
    assert sql.run(file, "SELECT * FROM pod_wait_spell ORDER BY uid") == before
    assert sql.count(file, "pod_wait") == 2


async def test_two_replicas_that_see_the_same_keep_it_once(opened: Opener, file: Path) -> None:
    one, other = await opened(), await opened()
    first = await sweep(one, EMPTY, 0, waiting(QUOTA))
    second = await sweep(other, EMPTY, 0.1, waiting(QUOTA))
    first = await sweep(one, first, 60, waiting(FRAGMENTED))
    second = await sweep(other, second, 60.1, waiting(FRAGMENTED))
    await sweep(one, first, 90, started())
    await sweep(other, second, 90.1, started())
    assert sql.count(file, "pod_wait") == 1
    assert sql.count(file, "pod_wait_spell") == 2
    assert sum(map(len, (await one.load("prod", at(100))).runs.values())) == 1


async def test_a_sweep_is_written_whole_or_not_at_all(opened: Opener, file: Path) -> None:
    store = await opened()
    sql.run(file, "ALTER TABLE pod_wait_spell RENAME TO away")
    with pytest.raises(StoreUnavailableError, match=r"does not answer: no such table: \S*pod_wait_spell$"):
        await sweep(store, EMPTY, 0, waiting(QUOTA))
    assert sql.count(file, "pod_wait") == 0


async def test_a_pod_thought_gone_begins_anew(opened: Opener) -> None:
    store = await opened()
    history = await sweep(store, EMPTY, 0, waiting(QUOTA))
    history = await sweep(store, history, 60, waiting(FRAGMENTED))
    history = await sweep(store, history, 90, gone())
    history = await sweep(store, history, 91, waiting(GATED))
    loaded = await store.load("prod", at(100))
    assert [spell.reason_id for spell in story(loaded, "u1")] == [UNSEEN, GATED]
    assert loaded.waits == history.waits


async def test_rows_that_are_missing_leave_time_unseen_and_no_overlap(opened: Opener, file: Path) -> None:
    store = await opened()
    history = EMPTY
    for minute, reason in enumerate((QUOTA, FRAGMENTED, GATED, QUOTA)):
        history = await sweep(store, history, 60 * minute, waiting(reason))
    await sweep(store, history, 240, started())
    sql.run(file, "DELETE FROM pod_wait_spell WHERE number IN (1, 3)")
    spells = story(await store.load("prod", at(300)), "u1")
    assert [(one.reason_id, one.ended_at) for one in spells] == [
        (UNSEEN, at(60)),
        (FRAGMENTED, at(180)),
        (QUOTA, at(240)),
    ]
    sql.run(file, "DELETE FROM pod_wait_spell")
    assert [(one.reason_id, one.ended_at) for one in story(await store.load("prod", at(300)), "u1")] == [
        (UNSEEN, at(240))
    ]


async def test_runs_of_pods_that_are_gone_still_count(opened: Opener) -> None:
    store = await opened()
    history = await sweep(store, EMPTY, 0, waiting(QUOTA))
    history = await sweep(store, history, 60, started())
    history = await sweep(store, history, 70, gone())
    loaded = await store.load("prod", at(80))
    assert loaded.waits == {}
    assert loaded.runs == history.runs
    assert (await store.load("prod", at(31 * DAY))).runs == {}


async def test_what_has_not_changed_for_long_is_forgotten(opened: Opener, file: Path) -> None:
    store = await opened()
    history = await sweep(store, EMPTY, 0, waiting(QUOTA), waiting(QUOTA, "u2"))
    await sweep(store, history, 50 * DAY, waiting(FRAGMENTED, "u2"))
    assert await store.prune(at(91 * DAY), days=90) == 1
    assert sql.run(file, "SELECT DISTINCT uid FROM pod_wait_spell") == [("u2",)]
    assert await store.prune(at(91 * DAY), days=90) == 0


async def test_there_are_never_more_waits_than_asked_for(opened: Opener, file: Path) -> None:
    store = await opened()
    for minute in range(10):
        await sweep(store, EMPTY, minute, waiting(QUOTA, f"u{minute}"))
    assert await store.prune(at(10), at_most=3) == 7
    assert sql.run(file, "SELECT uid FROM pod_wait ORDER BY uid") == [("u7",), ("u8",), ("u9",)]
    assert sql.count(file, "pod_wait_spell") == 3


async def test_a_flapping_pod_keeps_its_newest_spells_only(opened: Opener, file: Path) -> None:
    store = await opened()
    history = await sweep(store, EMPTY, 0, waiting(QUOTA, "u2"))
    for minute in range(SPELLS_AT_MOST + 6):
        history = await sweep(store, history, minute, waiting(QUOTA if minute % 2 else FRAGMENTED))
    assert sql.count(file, "pod_wait_spell") == SPELLS_AT_MOST + 7
    await store.prune(at(100))
    assert sql.run(file, "SELECT min(number), count(*) FROM pod_wait_spell WHERE uid = 'u1'") == [(7, SPELLS_AT_MOST)]
    assert (await store.load("prod", at(100))).waits == history.waits


async def test_a_database_in_memory_is_one() -> None:
    store = await Store.open("sqlite://")
    history = await sweep(store, EMPTY, 0, waiting(QUOTA))
    assert await store.load("prod", at(1)) == history
    await store.close()


A_SWEEP = st.tuples(
    st.integers(-30, 200),
    st.lists(
        st.one_of(
            st.builds(waiting, st.sampled_from([QUOTA, FRAGMENTED, GATED]), st.sampled_from(["u1", "u2"])),
            st.builds(started, st.sampled_from(["u1", "u2"])),
            st.builds(gone, st.sampled_from(["u1", "u2"])),
        ),
        max_size=3,
    ),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(A_SWEEP, max_size=12))
def test_memory_and_database_never_differ(sweeps: list[tuple[int, list[Observation]]]) -> None:
    async def main() -> None:
        store = await Store.open("sqlite://")
        history, minutes = EMPTY, 0
        for moved, seen in sweeps:
            minutes += moved
            history = await sweep(store, history, minutes, *seen)
        loaded = await store.load("prod", at(minutes))
        await store.close()
        assert loaded.waits == history.waits

    asyncio.run(main())
