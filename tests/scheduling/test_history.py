"""What sweeps saw becomes history: spells that never overlap, estimates with their grounds, or the reason for none."""

from datetime import timedelta
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.history import SPELLS_AT_MOST, UNNAMED, UNSEEN, History, Observation, Spell, State
from bot.scheduling.history import Alike, Range, Unknown, applied, changes, estimate, gone, phases, story
from bot.scheduling.history.changes import KEPT, RUNS_ALIKE_AT_MOST, aged
from tests.scheduling import observing
from tests.scheduling.observing import at, remembered, started, swept, waiting

QUOTA, FRAGMENTED, GATED = "quota.exhausted", "resources.fragmented", "queue.gated"
EMPTY = History(cluster="prod")


def spelled(history: History, uid: str = "u1") -> list[tuple[str, float, float | None]]:
    """The pod's spells in minutes."""
    minutes = timedelta(minutes=1)
    return [
        (spell.reason_id, (spell.began_at - at(0)) / minutes, spell.ended_at and (spell.ended_at - at(0)) / minutes)
        for spell in story(history, uid)
    ]


# ---- spells ----------------------------------------------------------------------------------------------------------


def test_a_pod_seen_at_once_has_waited_for_its_first_reason_from_the_start() -> None:
    assert spelled(remembered((2, waiting(QUOTA)))) == [(QUOTA, 0, None)]


def test_time_before_anybody_looked_has_no_known_reason() -> None:
    assert spelled(remembered((60, waiting(QUOTA)))) == [(UNSEEN, 0, 60), (QUOTA, 60, None)]


def test_another_reason_ends_one_spell_and_begins_the_next() -> None:
    history = remembered((0, waiting(QUOTA)), (240, waiting(FRAGMENTED)), (360, started(since=355)))
    assert spelled(history) == [(QUOTA, 0, 240), (FRAGMENTED, 240, 355)]
    assert history.waits["u1"].started_at == at(355), "the cluster's own time counts"


def test_a_sentence_is_kept_as_it_was_at_the_start() -> None:
    history = remembered((0, waiting(QUOTA, sentence="8 of 8 used")), (5, waiting(QUOTA, sentence="9 of 8 used")))
    assert [spell.sentence for spell in story(history, "u1")] == ["8 of 8 used"]


def test_the_same_observation_again_changes_nothing() -> None:
    history = remembered((0, waiting(QUOTA)))
    assert changes(history, [waiting(QUOTA)], at(9)) == ()
    assert swept(history, 9, waiting(QUOTA)) is history


def test_a_pod_that_is_not_observed_has_not_changed() -> None:
    history = remembered((0, waiting(QUOTA)))
    assert changes(history, [], at(9)) == ()


def test_a_pod_created_again_under_its_name_is_another_pod() -> None:
    history = remembered((0, waiting(QUOTA, name="train-0")), (60, waiting(FRAGMENTED, "u2", 60, name="train-0")))
    assert spelled(history, "u1") == [(QUOTA, 0, None)]
    assert spelled(history, "u2") == [(FRAGMENTED, 60, None)]


def test_a_clock_set_back_makes_no_spell_overlap_and_none_negative() -> None:
    history = remembered((0, waiting(QUOTA)), (60, waiting(FRAGMENTED)), (30, waiting(GATED)), (20, started()))
    assert spelled(history) == [(QUOTA, 0, 60), (FRAGMENTED, 60, 60), (GATED, 60, 60)]


def test_a_cluster_whose_clock_is_ahead_began_nothing_in_the_future() -> None:
    assert spelled(remembered((0, waiting(QUOTA, since=600)))) == [(QUOTA, 0, None)]


def test_a_deleted_pod_is_forgotten_and_taught_nothing() -> None:
    history = remembered((0, waiting(QUOTA)), (60, observing.gone()))
    assert story(history, "u1") == ()
    assert history.runs == {}


def test_a_pod_that_was_never_seen_waiting_is_not_kept() -> None:
    assert remembered((0, started())).waits == {}


def test_a_pod_that_runs_keeps_its_story_and_waits_no_more() -> None:
    history = remembered((0, waiting(QUOTA)), (60, started()), (70, waiting(FRAGMENTED)), (80, started()))
    assert spelled(history) == [(QUOTA, 0, 60)]
    assert spelled(swept(history, 90, waiting(GATED, "u2", 90))) == [(QUOTA, 0, 60)]


def test_what_is_not_alive_is_gone_and_only_that() -> None:
    history = swept(EMPTY, 0, waiting(QUOTA), waiting(QUOTA, "u2"))
    assert [(one.uid, one.state) for one in gone(history, {"u2"})] == [("u1", State.GONE)]
    assert list(swept(history, 5, *gone(history, {"u2"})).waits) == ["u2"]


def test_one_sweep_may_see_a_pod_twice() -> None:
    changed = changes(EMPTY, [waiting(QUOTA), waiting(FRAGMENTED), waiting(GATED)], at(2))
    assert [(change.first, change.wait.opened) for change in changed] == [(1, 3)]


def test_a_flapping_reason_is_bounded_and_its_time_is_still_whole() -> None:
    history = EMPTY
    for minute in range(SPELLS_AT_MOST + 10):
        history = swept(history, minute, waiting(QUOTA if minute % 2 else FRAGMENTED))
    wait = history.waits["u1"]
    assert len(wait.spells) == SPELLS_AT_MOST
    assert wait.opened == SPELLS_AT_MOST + 10
    assert next(wait.numbered())[0] == 11, "a spell keeps its number"
    assert spelled(history)[0] == (UNSEEN, 0, 10)


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(waiting(uid=""), id="no uid"),
        pytest.param(waiting(uid="u" * 129), id="a uid of 129 characters"),
        pytest.param(waiting(uid="u\ud800"), id="half a character in a uid"),
    ],
)
def test_a_uid_that_cannot_be_a_key_is_not_kept(seen: Observation) -> None:
    assert changes(EMPTY, [seen], at(0)) == ()


def test_foreign_text_is_made_inert_and_short() -> None:
    seen = waiting("a\x00b\ud800", name="n\n" * 500, sentence="<!channel> " + "x" * 900, gpus=2**80)
    (wait,) = remembered((0, seen)).waits.values()
    (spell,) = wait.spells
    assert spell.reason_id == "ab"
    assert len(spell.sentence) == 500
    assert "<!" not in spell.sentence
    assert len(wait.name) == 253
    assert wait.gpus == 1_000_000


def test_a_reason_without_an_id_is_unnamed() -> None:
    history = remembered((0, waiting("")))
    assert spelled(history) == [(UNNAMED, 0, None)]
    assert swept(history, 5, waiting("")) is history


# ---- any order of anything -------------------------------------------------------------------------------------------

A_STEP = st.tuples(
    st.integers(-90, 300),  # the clock moves so many minutes, or is set back
    st.lists(
        st.tuples(
            st.sampled_from(["u1", "u2"]),
            st.sampled_from([State.WAITING] * 4 + [State.STARTED, State.GONE]),
            st.sampled_from([QUOTA, FRAGMENTED, GATED]),
            st.none() | st.integers(-600, 600),
        ),
        max_size=4,
    ),
)


@given(st.lists(A_STEP, max_size=30))
def test_whatever_is_seen_spells_never_overlap_and_add_up_to_the_time_pending(
    steps: list[tuple[int, list[tuple[str, State, str, int | None]]]],
) -> None:
    history, minutes, latest = EMPTY, 0, 0
    for moved, pods in steps:
        minutes += moved
        latest = max(latest, minutes)
        seen = [
            Observation(
                uid=uid,
                namespace="n",
                name=uid,
                state=state,
                reason_id=reason,
                since=None if since is None else at(since),
            )
            for uid, state, reason, since in pods
        ]
        history = swept(history, minutes, *seen)
        for uid, wait in history.waits.items():
            spells = story(history, uid)
            assert all(one.ended_at == after.began_at for one, after in pairwise(spells))
            assert all(one.began_at <= (one.ended_at or at(latest)) for one in spells)
            assert spells[0].began_at == wait.pending_since
            assert spells[-1].ended_at == wait.ended_at
            pending = ((wait.ended_at or at(latest)) - wait.pending_since).total_seconds()
            assert sum(spell.seconds(at(latest)) for spell in spells) == pytest.approx(pending)
            assert sum(part.seconds for part in phases(spells, at(latest))) == pytest.approx(pending)


@given(st.lists(st.sampled_from([QUOTA, FRAGMENTED, GATED]), min_size=1, max_size=10))
def test_whatever_was_seen_last_may_be_seen_again(reasons: list[str]) -> None:
    history = remembered(*((minute, waiting(reason)) for minute, reason in enumerate(reasons)))
    assert changes(history, [waiting(reasons[-1])], at(999)) == ()


# ---- a story in a sentence -------------------------------------------------------------------------------------------


def parts(*spells: tuple[str, float], now: float | None = None, **options: int) -> list[tuple[str, float]]:
    """Phases in minutes, from reasons with their minutes."""
    found, minute = [], 0.0
    for reason, minutes in spells:
        found.append(Spell(reason, "", at(minute), at(minute + minutes)))
        minute += minutes
    if now is not None:
        found[-1] = msgspec.structs.replace(found[-1], ended_at=None)
    return [(part.reason_id, part.seconds / 60) for part in phases(found, at(now or minute), **options)]


@pytest.mark.parametrize(
    ("given_spells", "told"),
    [
        pytest.param([(QUOTA, 240), (FRAGMENTED, 120)], [(QUOTA, 240), (FRAGMENTED, 120)], id="as it was"),
        pytest.param([(QUOTA, 240), (QUOTA, 120)], [(QUOTA, 360)], id="neighbours with one reason are one part"),
        pytest.param(
            [(QUOTA, 240), (GATED, 0.5), (FRAGMENTED, 120)],
            [(QUOTA, 240.5), (FRAGMENTED, 120)],
            id="half a minute goes to the longer neighbour",
        ),
        pytest.param(
            [(QUOTA, 240), (GATED, 0.5), (QUOTA, 120)], [(QUOTA, 360.5)], id="what a short part had split is one again"
        ),
        pytest.param([(GATED, 0.5), (QUOTA, 120)], [(QUOTA, 120.5)], id="a short first part goes to the one after it"),
        pytest.param(
            [(QUOTA, 5_000), (GATED, 20), (FRAGMENTED, 3_000)],
            [(QUOTA, 5_020), (FRAGMENTED, 3_000)],
            id="what is short depends on the whole",
        ),
        pytest.param(
            [(QUOTA, 240), (FRAGMENTED, 0.5)], [(QUOTA, 240), (FRAGMENTED, 0.5)], id="the last reason is always told"
        ),
        pytest.param([], [], id="nothing"),
    ],
)
def test_a_story_is_told_in_few_parts(given_spells: list[tuple[str, float]], told: list[tuple[str, float]]) -> None:
    assert parts(*given_spells) == told


def test_there_are_never_more_parts_than_asked_for() -> None:
    many = [(f"reason.{number}", 60 + number) for number in range(20)]
    assert len(parts(*many)) == 4
    assert len(parts(*many, at_most=2)) == 2
    assert [reason for reason, _ in parts(*many, at_most=1)] == ["reason.19"]


def test_the_last_part_lasts_until_now() -> None:
    assert parts((QUOTA, 240), (FRAGMENTED, 0), now=360) == [(QUOTA, 240), (FRAGMENTED, 120)]


# ---- estimates -------------------------------------------------------------------------------------------------------

LIKE_IT = Alike(gpus=4, shape="H200", reason_id=QUOTA, namespace="team-a", owner="Job/train")


def ran(*waits: tuple[str, float], reason: str = QUOTA, history: History = EMPTY, **fields: object) -> History:
    """Pods that waited so many minutes, one an hour later than the other."""
    for number, (uid, minutes) in enumerate(waits):
        begin = 60 * number
        history = swept(history, begin, waiting(reason, uid, begin, **fields))
        history = swept(history, begin + minutes, started(uid))
    return history


FIVE = [("a", 10), ("b", 20), ("c", 30), ("d", 40), ("e", 50)]


def test_an_estimate_is_the_middle_half_of_what_alike_pods_waited() -> None:
    told = estimate(ran(*FIVE), LIKE_IT, at(1_000))
    assert told == Range(
        low_seconds=1_200,
        middle_seconds=1_800,
        high_seconds=2_400,
        runs=5,
        longer=0,
        same_owner=True,
        since=at(0),
    )


def test_pods_of_the_same_owner_count_before_all_others() -> None:
    history = ran(*[(uid * 2, 500) for uid, _ in FIVE], history=ran(*FIVE), owner="Job/other")
    own, both = (estimate(history, alike, at(2_000)) for alike in (LIKE_IT, msgspec.structs.replace(LIKE_IT, owner="")))
    assert isinstance(own, Range)
    assert isinstance(both, Range)
    assert (own.runs, own.same_owner) == (5, True)
    assert (both.runs, both.same_owner) == (10, False)


def test_too_few_of_the_same_owner_are_counted_with_the_others() -> None:
    history = ran(*[(uid * 2, 500) for uid, _ in FIVE], history=ran(*FIVE[:2]), owner="Job/other")
    told = estimate(history, LIKE_IT, at(2_000))
    assert isinstance(told, Range)
    assert (told.runs, told.same_owner) == (7, False)


@pytest.mark.parametrize(
    ("alike", "why"),
    [
        pytest.param(LIKE_IT, "only 2 pods like this have started since 2026-05-04 08:00 UTC", id="two are too few"),
        pytest.param(
            Alike(gpus=8, shape="H200"), "no pod like this has started since 2026-05-04 08:00 UTC", id="other number"
        ),
        pytest.param(
            Alike(gpus=4, shape="A100"), "no pod like this has started since 2026-05-04 08:00 UTC", id="other kind"
        ),
        pytest.param(
            msgspec.structs.replace(LIKE_IT, reason_id=GATED),
            "no pod like this has started since 2026-05-04 08:00 UTC",
            id="other reason",
        ),
    ],
)
def test_too_few_runs_are_no_estimate(alike: Alike, why: str) -> None:
    assert estimate(ran(*FIVE[:2]), alike, at(1_000)) == Unknown(why)


def test_one_run_is_told_in_the_singular() -> None:
    told = estimate(ran(FIVE[0]), LIKE_IT, at(1_000))
    assert told == Unknown("only 1 pod like this has started since 2026-05-04 08:00 UTC")


def test_runs_of_more_than_thirty_days_ago_say_nothing_of_today() -> None:
    told = estimate(ran(*FIVE), LIKE_IT, at(1_000) + KEPT)
    assert isinstance(told, Unknown)
    assert told.reason.startswith("no pod like this has started since 2026-05-05")


def test_nothing_remembered_is_said_with_its_cause() -> None:
    assert estimate(EMPTY, LIKE_IT, at(0)) == Unknown("no pod has been seen waiting yet")
    troubled = History(cluster="prod", trouble="history not kept: the disk is full")
    assert estimate(troubled, LIKE_IT, at(0)) == Unknown("history not kept: the disk is full")


def test_pods_that_wait_longer_than_the_range_are_counted() -> None:
    history = swept(ran(*FIVE), 400, waiting(QUOTA, "w1", 300), waiting(QUOTA, "w2", 390), waiting(GATED, "w3", 300))
    told = estimate(history, LIKE_IT, at(400))
    assert isinstance(told, Range)
    assert told.longer == 1, "w2 waits for ten minutes only, w3 for something else"


def test_any_pod_counts_where_nothing_is_asked_for() -> None:
    history = ran(*[(uid * 2, 500) for uid, _ in FIVE], history=ran(*FIVE), reason=GATED, gpus=1)
    told = estimate(history, Alike(), at(2_000))
    assert isinstance(told, Range)
    assert told.runs == 10


def test_memory_of_runs_is_bounded() -> None:
    history = EMPTY
    for number in range(RUNS_ALIKE_AT_MOST + 5):
        history = ran((f"u{number}", 1), history=history)
    assert len(history.runs[4, "H200"]) == RUNS_ALIKE_AT_MOST
    old = aged(history, at(600) + KEPT)
    assert old.runs == {}
    assert old.waits == {}


def test_changes_are_applied_to_a_copy() -> None:
    history = remembered((0, waiting(QUOTA)))
    after = applied(history, changes(history, [started()], at(5)), at(5))
    assert history.waits["u1"].started_at is None
    assert after.waits["u1"].started_at == at(5)
