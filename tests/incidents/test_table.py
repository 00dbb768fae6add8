"""Every state with everything that can happen in it: what comes of it, or that it cannot."""

import pytest

from bot.domain.errors import ConflictError
from bot.domain.incident import Happening as What
from bot.domain.incident import IncidentState as State
from bot.incidents import table

NO = "cannot happen"
LIVE = {
    What.CHANGED: "same",
    What.NOTED: "same",
    What.SILENCED: "same",
    What.ABSORBED: "same",
    What.SPLIT: "same",
    What.EASED: State.MITIGATED,
    What.CLEARED: State.RESOLVED,
    What.MERGED: State.MERGED,
    What.CLOSED: State.CLOSED,
}
EXPECTED: dict[State, dict[What, object]] = {
    State.OPEN: LIVE | {What.TAKEN: State.ACKNOWLEDGED, What.HANDED: State.ACKNOWLEDGED},
    State.ACKNOWLEDGED: LIVE | {What.TAKEN: State.ACKNOWLEDGED, What.HANDED: State.ACKNOWLEDGED},
    State.MITIGATED: LIVE | {What.TAKEN: "same", What.HANDED: "same", What.WORSENED: State.OPEN},
    State.RESOLVED: {
        What.RETURNED: State.OPEN,
        What.REOPENED: State.OPEN,
        What.LAPSED: State.CLOSED,
        What.CLOSED: State.CLOSED,
        What.NOTED: "same",
        What.ABSORBED: "same",
    },
    State.CLOSED: {What.NOTED: "same", What.REOPENED: State.OPEN, What.RETURNED: State.OPEN},
    State.MERGED: {},
}


@pytest.mark.parametrize("taken", [pytest.param(False, id="nobody has it"), pytest.param(True, id="somebody has it")])
@pytest.mark.parametrize("what", What)
@pytest.mark.parametrize("state", State)
def test_what_comes_of_it(state: State, what: What, taken: bool) -> None:
    expected = EXPECTED[state].get(what, NO)
    if expected == NO:
        assert not table.can(state, what)
        with pytest.raises(ConflictError, match=f"Incident 7 .* it cannot be {what} now"):
            table.after(state, what, taken=taken, number=7)
        return
    wanted = state if expected == "same" else expected
    if taken and wanted is State.OPEN:
        wanted = State.ACKNOWLEDGED
    assert table.can(state, what)
    assert table.after(state, what, taken=taken, number=7) is wanted


def test_taking_what_is_over_does_not_open_it_again() -> None:
    for state in (State.RESOLVED, State.CLOSED, State.MERGED):
        assert not table.can(state, What.TAKEN)
