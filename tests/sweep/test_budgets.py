"""Budgets that no drain can get past, and those that only say no for a while."""

from typing import Any

import pytest

from bot.domain.node import Condition
from bot.sweep import budgets
from tests.factories import a_node, a_pod, owned_by
from tests.sweep.building import a_budget, a_cluster_of, looked_up
from tests.why.builders_owners import a_deployment, an_event

APP = {"app": "glm"}
OWNER = owned_by("Deployment", "glm")
READY = a_pod("glm-x", gpus=4, labels=APP, owner=OWNER)
LOADING = a_pod("glm-y", labels=APP, conditions=(Condition("Ready", "False"),))
CORDONED = a_node("gpu-1", unschedulable=True)
UPGRADING = a_node("gpu-1", unschedulable=True, more_labels={"nvidia.com/gpu-driver-upgrade-state": "drain-required"})
BLOCKED = an_event(a_node("gpu-1"), "DisruptionBlocked", 'Pdb "llm/glm" prevents pod evictions')
OTHER = an_event(a_node("gpu-1"), "DisruptionBlocked", 'Pdb "llm/other" prevents pod evictions')


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([CORDONED, READY, a_budget()], id="a cordoned node"),
        pytest.param([a_node("gpu-1"), READY, a_budget(), BLOCKED], id="somebody said that it is blocked"),
    ],
)
def test_it_blocks(records: list[Any]) -> None:
    found = list(budgets.troubles(a_cluster_of(*records, a_deployment()), looked_up()))
    assert [(one.id, one.nodes) for one in found] == [("budget.never", ("gpu-1",))]
    assert "gpu-1 cannot be drained: disruption budget llm/glm can never allow an eviction" in found[0].sentence
    assert found[0].remedies[0].command == "kubectl -n llm scale deployment glm --replicas=2"
    assert found[0].remedies[0].cost == "4 GPUs more while both run"
    assert "outage on purpose" in found[0].remedies[1].action


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([a_node("gpu-1"), READY, a_budget()], id="nobody wants to empty the node"),
        pytest.param([a_node("gpu-1"), READY, a_budget(), OTHER], id="another budget is what blocks"),
        pytest.param([CORDONED, READY, a_budget(allowed=1)], id="it allows one"),
        pytest.param([CORDONED, READY, LOADING, a_budget()], id="a pod of it is not Ready yet"),
        pytest.param([CORDONED, READY, a_budget(app="chat")], id="it covers others"),
        pytest.param([CORDONED, a_pod("glm-x", node="gpu-2", labels=APP), a_budget()], id="its pod is elsewhere"),
        pytest.param([UPGRADING, READY, a_budget()], id="the driver upgrade has the node, and speaks for itself"),
    ],
)
def test_it_does_not_block(records: list[Any]) -> None:
    assert list(budgets.troubles(a_cluster_of(*records), looked_up())) == []


def test_the_whole_budget_tells_its_rule_and_numbers() -> None:
    whole = {"spec": {"minAvailable": 1}, "status": {"currentHealthy": 1, "desiredHealthy": 1}}
    found = next(budgets.troubles(a_cluster_of(CORDONED, READY, a_budget()), looked_up(glm=whole)))
    assert "llm/glm (minAvailable 1)" in found.sentence
    assert found.evidence[0] == "it wants 1 healthy, 1 are, so disruptionsAllowed is 0"
