"""gpubot takes back its own cordons, and others' only where a person confirms the node by its name."""

from typing import Any

import pytest

from bot.access.cordons import may_uncordon
from bot.domain.change import ChangeState
from tests.access.building import CORDON, UNCORDON, a_change, a_plan, a_step, minutes

APPLIED, FAILED, UNDONE = ChangeState.APPLIED, ChangeState.FAILED, ChangeState.UNDONE


def cordoned(number: int = 1, state: ChangeState = APPLIED, **changed: Any) -> Any:
    return a_change(number, state, **({"done": 1, "applied_at": minutes(number)} | changed))


def uncordoned(number: int) -> Any:
    return cordoned(number, plan=a_plan(kind="uncordon", steps=(UNCORDON,), undo=(CORDON,)))


OTHER_NODE = cordoned(plan=a_plan(steps=(a_step("gpu-4", {"spec": {"unschedulable": True}}),)))
LABELLED = cordoned(plan=a_plan(steps=(a_step("gpu-3", {"metadata": {"labels": {"a": "b"}}}),)))
DRAINED = cordoned(state=FAILED, plan=a_plan(kind="drain", steps=(CORDON, a_step("p", kind="Pod", namespace="llm"))))


@pytest.mark.parametrize(
    ("recorded", "manager", "confirmed", "allowed"),
    [
        pytest.param([cordoned()], None, "", True, id="what gpubot cordoned"),
        pytest.param([cordoned()], "gpubot", "", True, id="and Kubernetes says so"),
        pytest.param([cordoned()], "kubectl-cordon", "", False, id="but somebody cordoned it again since"),
        pytest.param([], None, "", False, id="what gpubot never cordoned"),
        pytest.param([], None, "gpu-3", True, id="unless it is confirmed by name"),
        pytest.param([], None, "gpu-33", False, id="by that very name"),
        pytest.param([], None, "GPU-3", False, id="letter by letter"),
        pytest.param([], None, "gpu-З", False, id="and not by one that looks like it"),
        pytest.param([cordoned(1), uncordoned(2)], None, "", False, id="what it uncordoned since"),
        pytest.param([cordoned(3), uncordoned(2)], None, "", True, id="in the order of time"),
        pytest.param([cordoned(state=UNDONE)], None, "", False, id="a cordon that was undone"),
        pytest.param([cordoned(state=UNDONE, done=0)], None, "", False, id="whatever was counted then"),
        pytest.param([cordoned(state=FAILED, done=0)], None, "", False, id="a cordon that never came to be"),
        pytest.param([DRAINED], None, "", True, id="a drain that failed after its cordon"),
        pytest.param([cordoned(state=ChangeState.PROPOSED, done=0)], None, "", False, id="one that was only asked for"),
        pytest.param([OTHER_NODE], None, "", False, id="the cordon of another node"),
        pytest.param([LABELLED], None, "", False, id="another change of the node"),
    ],
)
def test_may_it_be_uncordoned(recorded: Any, manager: str | None, confirmed: str, allowed: bool) -> None:
    assert may_uncordon("gpu-3", recorded, manager=manager, confirmed=confirmed).allowed is allowed


def test_a_no_says_who_did_and_what_to_type() -> None:
    decision = may_uncordon("gpu-3", [], manager="kubectl-cordon")
    assert decision.reason == (
        "gpubot did not cordon gpu-3, kubectl-cordon did: it stays cordoned unless you confirm it by name"
    )
    assert decision.who_can == "whoever cordoned it, or you: `/gpu node uncordon gpu-3 confirm=gpu-3`"
