"""What waits to be written is the newest of each pod, bounded, and complete where it comes back."""

from bot.adapters.store.unsaved import Unsaved
from bot.domain.history import Change
from tests.scheduling.observing import remembered, waiting


def a_change(uid: str, first: int, *reasons: str) -> Change:
    sweeps = [(60 * number, waiting(reason, uid)) for number, reason in enumerate(reasons or ("quota.exhausted",))]
    return Change(remembered(*sweeps).waits[uid], first)


OLD, NEW = a_change("u1", 1, "a.b"), a_change("u1", 1, "a.b", "c.d")


def test_changes_of_one_pod_become_one_with_all_its_new_spells() -> None:
    unsaved = Unsaved()
    unsaved.add("prod", [a_change("u1", 3, "a.b", "c.d", "e.f")])
    unsaved.add("prod", [a_change("u1", 4, "a.b", "c.d", "e.f", "g.h")])
    (change,) = unsaved.take().values()
    assert (change.first, change.wait.opened) == (3, 4)
    assert len(unsaved) == 0


def test_the_same_uid_in_another_cluster_is_another_pod() -> None:
    unsaved = Unsaved()
    unsaved.add("prod", [OLD])
    unsaved.add("test", [NEW])
    assert unsaved.of("prod") == [OLD]
    assert unsaved.of("test") == [NEW]


def test_what_comes_back_is_older_than_what_has_changed_since() -> None:
    unsaved = Unsaved()
    unsaved.add("prod", [OLD])
    taken = unsaved.take()
    unsaved.add("prod", [Change(NEW.wait, 1)])
    unsaved.add("prod", [a_change("u2", 1)])
    unsaved.give_back(taken)
    assert {uid: change.wait.opened for (_, uid), change in unsaved.take().items()} == {"u1": 2, "u2": 1}


def test_where_there_is_no_room_the_longest_unchanged_is_lost_and_counted() -> None:
    unsaved = Unsaved(at_most=2)
    unsaved.add("prod", [a_change("u1", 1), a_change("u2", 1)])
    unsaved.add("prod", [a_change("u1", 1)])
    unsaved.add("prod", [a_change("u3", 1)])
    assert [uid for _, uid in unsaved.take()] == ["u1", "u3"]
    assert unsaved.lost == 1
