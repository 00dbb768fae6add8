"""What holds for the plan of every kind: it survives the record, and it is complete."""

import json
from typing import Any

import msgspec
import pytest

from bot.changes.collect import change_kinds
from bot.domain.change import Plan
from tests.changes.building import a_thing, a_whole_view, an_ask
from tests.factories import a_node, a_pod, owned_by

DEPLOYMENT = {"spec": {"replicas": 1, "template": {"spec": {}}}}
GLM = {"owner": owned_by("Deployment", "glm"), "uid": "p0"}
EXAMPLES: dict[str, dict[str, str]] = {
    "cordon": {"node": "gpu-1"},
    "uncordon": {"node": "gpu-2", "confirm": "gpu-2"},
    "drain": {"node": "gpu-1"},
    "restart": {"kind": "Deployment", "namespace": "llm", "name": "glm", "at": "2026-11-30T12:00:00Z"},
    "delete": {"namespace": "llm", "name": "glm-0", "uid": "p0"},
    "model-stop": {"kind": "Deployment", "namespace": "llm", "name": "glm"},
    "gpu-verify": {"node": "gpu-2", "pod": "gpu-verify-x", "namespace": "default"},
}


def planned(kind: str) -> Plan:
    view = a_whole_view(
        a_node("gpu-1", uid="n1"),
        a_node("gpu-2", uid="n2", unschedulable=True),
        a_pod("glm-0", **GLM),
        a_thing("Deployment", "glm", DEPLOYMENT),
    )
    return change_kinds()[kind].plan(an_ask(view, **EXAMPLES[kind]))


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_plan_that_was_kept_is_the_same_plan(kind: str) -> None:
    plan = planned(kind)
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan).digest == plan.digest


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_same_plan_comes_from_its_own_arguments(kind: str) -> None:
    plan = planned(kind)
    view: Any = a_whole_view(
        a_node("gpu-1", uid="n1"),
        a_node("gpu-2", uid="n2", unschedulable=True),
        a_pod("glm-0", **GLM),
        a_thing("Deployment", "glm", DEPLOYMENT),
    )
    assert change_kinds()[kind].plan(an_ask(view, **plan.arguments)).digest == plan.digest


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_plan_is_complete(kind: str) -> None:
    plan = planned(kind)
    assert plan.kind == kind
    assert plan.refused == ""
    assert plan.title
    assert plan.effects
    for step in (*plan.steps, *plan.undo, *plan.cleanup):
        assert step.says
        assert step.before != step.after
        assert json.dumps(step.body)


def test_every_kind_has_an_example_here() -> None:
    assert set(change_kinds()) - set(EXAMPLES) <= {"scale", "deploy"}, "these have tests of their own"
