"""The comparison itself: a verdict that differs anywhere is told, one that does not is not."""

import copy
from typing import Any

import pytest

from tests.judge.compare import differences

TAINTED = {
    "plugin": "TaintToleration",
    "code": "UnschedulableAndUnresolvable",
    "reasons": ["node(s) had untolerated taint(s)"],
}
VERDICT = {
    "pod": "default/web",
    "gated": False,
    "reason": "Unschedulable",
    "message": "0/2 nodes are available: 1 node(s) had untolerated taint(s).",
    "preenqueue": None,
    "prefilter": None,
    "prefilter_all": [],
    "prefilter_nodes": None,
    "nodes": {"one": [TAINTED], "two": []},
    "first": {"one": TAINTED},
    "feasible": ["two"],
    "preemption": {"node": "one", "victims": ["default/db"]},
}


def changed(**fields: Any) -> dict[str, Any]:
    return {**copy.deepcopy(VERDICT), **fields}


def test_equal_verdicts_have_no_differences() -> None:
    assert differences(VERDICT, {"seed": 7, **copy.deepcopy(VERDICT)}) == []


@pytest.mark.parametrize(
    ("ours", "told"),
    [
        pytest.param(changed(gated=True), "gated: scheduler False, ours True", id="a flag"),
        pytest.param(changed(feasible=[]), "feasible: scheduler ['two'], ours []", id="a node that passes"),
        pytest.param(changed(prefilter_nodes=[]), "prefilter_nodes: scheduler None, ours []", id="none is not all"),
        pytest.param(changed(first={}), f"first of one: scheduler {TAINTED}, ours 'nothing'", id="a node of which nothing is told"),
        pytest.param(
            changed(nodes={"one": [TAINTED], "two": [TAINTED]}), f"nodes of two: scheduler [], ours [{TAINTED}]", id="one node of two"
        ),
        pytest.param(changed(preemption=None), f"preemption: scheduler {VERDICT['preemption']}, ours None", id="no victims"),
        pytest.param(changed(more=1), "more: scheduler 'nothing', ours 1", id="a field that the scheduler's side lacks"),
    ],
)  # fmt: skip
def test_a_difference_is_told_with_both_sides(ours: dict[str, Any], told: str) -> None:
    assert differences(VERDICT, ours) == [told]


@pytest.mark.parametrize("field", VERDICT)
def test_no_field_is_left_out(field: str) -> None:
    ours = {key: value for key, value in VERDICT.items() if key != field}
    assert [one for one in differences(VERDICT, ours) if one.startswith(f"{field}: ")]
