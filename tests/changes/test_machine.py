"""The state table over every pair: what is not listed here is impossible."""

import itertools

import pytest

from bot.changes.machine import OPEN, ChangeEvent, NotPossibleError, can, step
from bot.domain.change import ChangeState

S, E = ChangeState, ChangeEvent
WAYS = {
    (S.PROPOSED, E.SECONDED): S.PROPOSED,
    (S.PROPOSED, E.AGREED): S.APPROVED,
    (S.PROPOSED, E.DECLINED): S.REFUSED,
    (S.PROPOSED, E.LAPSED): S.EXPIRED,
    (S.PROPOSED, E.MOVED): S.OUTDATED,
    (S.APPROVED, E.BEGUN): S.APPLYING,
    (S.APPROVED, E.LAPSED): S.EXPIRED,
    (S.APPROVED, E.MOVED): S.OUTDATED,
    (S.APPLYING, E.DONE): S.FOLLOWING,
    (S.APPLYING, E.BROKEN): S.FAILED,
    (S.FOLLOWING, E.REACHED): S.APPLIED,
    (S.FOLLOWING, E.BROKEN): S.FAILED,
    (S.FOLLOWING, E.TAKEN_BACK): S.UNDOING,
    (S.APPLIED, E.TAKEN_BACK): S.UNDOING,
    (S.APPLIED, E.KEPT): S.APPLIED,
    (S.FAILED, E.TAKEN_BACK): S.UNDOING,
    (S.UNDOING, E.RETURNED): S.UNDONE,
    (S.UNDOING, E.BROKEN): S.FAILED,
}


@pytest.mark.parametrize(("state", "event"), list(itertools.product(S, E)), ids=str)
def test_every_pair_of_state_and_event(state: ChangeState, event: ChangeEvent) -> None:
    wanted = WAYS.get((state, event))
    assert can(state, event) is (wanted is not None)
    if wanted is not None:
        assert step(state, event) is wanted
        return
    with pytest.raises(NotPossibleError, match=f"{state} cannot be {event}"):
        step(state, event)


def test_every_state_can_be_reached() -> None:
    assert set(WAYS.values()) | {S.PROPOSED} == set(S)


def test_refused_expired_outdated_and_undone_are_final() -> None:
    assert {state for state in S if not any(can(state, event) for event in E)} == {
        S.REFUSED,
        S.EXPIRED,
        S.OUTDATED,
        S.UNDONE,
    }


def test_the_store_gives_back_at_a_start_what_goes_on_by_itself() -> None:
    assert set(S) - {S.APPLIED, S.FAILED, S.REFUSED, S.EXPIRED, S.OUTDATED, S.UNDONE} == OPEN
