"""Cordon, uncordon and drain as plans: what they say they cost, and when they are refused."""

from typing import Any

import msgspec
import pytest

from bot.changes.collect import change_kinds
from bot.changes.kind import Phase
from bot.changes.kinds import cordon, drain, uncordon
from bot.domain.change import Plan
from bot.domain.errors import NotFoundError
from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Node
from bot.domain.selectors import Requirement, Selector
from bot.domain.workload import PodDisruptionBudget
from tests.changes.building import a_thing, a_whole_view, an_ask
from tests.factories import NOW, a_node, a_pod, a_taint, owned_by

GLM = owned_by("Deployment", "glm")
SERVER = {
    "spec": {
        "template": {
            "spec": {"containers": [{"name": "vllm", "args": ["--model", "/m", "--served-model-name", "glm-5.2"]}]}
        }
    }
}


def a_budget(allowed: int, **labels: str) -> PodDisruptionBudget:
    chosen = labels or {"app": "glm"}
    selector = Selector(tuple(Requirement(key, "In", (value,)) for key, value in chosen.items()))
    return PodDisruptionBudget(name="glm", namespace="llm", allowed=allowed, selector=selector)


def a_member(index: int, node: str = "gpu-1", **changed: Any) -> Any:
    defaults: dict[str, Any] = {"gpus": 4, "owner": GLM, "uid": f"p{index}", "labels": {"app": "glm"}}
    return a_pod(f"glm-{index}", node=node, **(defaults | changed))


def drained(*records: Any, evidence: Evidence | None = None, **arguments: str) -> Plan:
    view = a_whole_view(a_node("gpu-1", uid="n1"), *records)
    asked = {"node": "gpu-1", **arguments}
    return drain.plan(an_ask(view, **asked) if evidence is None else an_ask(view, evidence, **asked))


def told(plan: Plan) -> str:
    return "\n".join((*plan.effects, *plan.costs, *plan.warnings, *plan.unknown, plan.refused))


def test_every_kind_is_found_by_its_name() -> None:
    assert {"cordon", "uncordon", "drain", "restart", "delete", "gpu-verify"} <= set(change_kinds())


# ---- cordon and uncordon ---------------------------------------------------------------------------------------------


def test_a_cordon_can_be_undone_and_says_who_stays() -> None:
    view = a_whole_view(a_node("gpu-1", uid="n1"), a_member(0))
    plan = cordon.plan(an_ask(view, node="gpu-1"))
    assert plan.steps[0].target.uid == "n1"
    assert plan.steps[0].body["spec"] == {"unschedulable": True}
    assert plan.steps[0].command == "kubectl cordon gpu-1"
    assert plan.undo[0].command == "kubectl uncordon gpu-1"
    assert "1 pod there (4 GPUs) go on running" in told(plan)
    assert "4 free GPUs there can be used by nobody" in told(plan)


def test_the_same_plan_comes_again_while_others_come_and_go() -> None:
    before = cordon.plan(an_ask(a_whole_view(a_node("gpu-1", uid="n1")), node="gpu-1"))
    after = cordon.plan(an_ask(a_whole_view(a_node("gpu-1", uid="n1"), a_member(0)), node="gpu-1"))
    assert before.digest == after.digest


@pytest.mark.parametrize(
    ("node", "confirm", "refused"),
    [
        pytest.param({"unschedulable": True, "cordoned_by": "gpubot"}, "", "", id="our own cordon may go"),
        pytest.param(
            {"unschedulable": True, "cordoned_by": "kubectl"}, "", "cordoned by a person with kubectl", id="a person's"
        ),
        pytest.param({"unschedulable": True}, "", "not by gpubot", id="nobody knows whose"),
        pytest.param({"unschedulable": True}, "gpu-2", "not by gpubot", id="another name confirms nothing"),
        pytest.param({"unschedulable": True}, "gpu-1", "", id="confirmed by name"),
        pytest.param({}, "", "is not cordoned", id="not cordoned at all"),
        pytest.param(
            {
                "unschedulable": True,
                "labels": {"nvidia.com/gpu-driver-upgrade-state": "drain-required"},
            },
            "",
            "by the driver upgrade (drain-required)",
            id="an upgrade's",
        ),
    ],
)
def test_whose_cordon_may_be_taken_away(node: dict[str, Any], confirm: str, refused: str) -> None:
    view = a_whole_view(Node(name="gpu-1", uid="n1", **node))
    plan = uncordon.plan(an_ask(view, node="gpu-1", **({"confirm": confirm} if confirm else {})))
    assert refused in plan.refused
    assert bool(plan.refused) is bool(refused)


def test_an_uncordon_says_who_of_those_that_wait_would_fit() -> None:
    node = a_node("gpu-1", uid="n1", unschedulable=True, cordoned_by="gpubot")
    waiting = [a_pod(f"w-{gpus}", node="", gpus=gpus) for gpus in (2, 8, 16)]
    plan = uncordon.plan(an_ask(a_whole_view(node, *waiting), node="gpu-1"))
    assert "2 of 3 GPU pods that wait would then fit there" in told(plan)


def test_a_node_that_is_gone_is_said_to_be() -> None:
    with pytest.raises(NotFoundError, match="gpu-7"):
        cordon.plan(an_ask(a_whole_view(a_node("gpu-1")), node="gpu-7"))


# ---- drain -----------------------------------------------------------------------------------------------------------


def test_a_drain_cordons_first_and_evicts_low_priority_first() -> None:
    plan = drained(a_member(0, priority=1000), a_member(1), a_member(2, priority=10))
    assert [step.says for step in plan.steps] == [
        "cordon gpu-1",
        "evict llm/glm-1",
        "evict llm/glm-2",
        "evict llm/glm-0",
    ]
    assert plan.size.evictions == 3
    assert plan.size.gpus == 12
    assert plan.size.namespaces == ("llm",)


def test_who_stays_is_left_out() -> None:
    plan = drained(
        a_member(0),
        a_pod("plugin-x", owner=owned_by("DaemonSet", "plugin"), gpus=0),
        a_pod("kube-proxy-gpu-1", owner=owned_by("Node", "gpu-1"), gpus=0),
        a_pod("done", owner=owned_by("Job", "j"), phase="Succeeded"),
        a_pod("going", owner=owned_by("Job", "k"), deleted="2026-11-30T11:59:00Z"),
    )
    assert [step.says for step in plan.steps[1:]] == ["evict llm/glm-0"]
    assert "2 pods of DaemonSets or of the kubelet itself stay" in told(plan)
    assert "llm/going on the way out already" in told(plan)


def test_a_model_that_loses_its_last_replica_is_named() -> None:
    plan = drained(a_thing("Deployment", "glm", SERVER), a_member(0), a_member(1))
    assert "Loses its last replica that serves: deployment llm/glm (model glm-5.2): 2 pods, 8 GPUs" in plan.costs


def test_a_model_that_serves_elsewhere_is_not_lost() -> None:
    plan = drained(a_node("gpu-2"), a_thing("Deployment", "glm", SERVER), a_member(0), a_member(1, node="gpu-2"))
    assert "Evicted: deployment llm/glm (model glm-5.2): 1 pod, 4 GPUs; 1 left elsewhere that serve" in plan.costs


def test_pods_without_another_place_are_counted_and_named() -> None:
    plan = drained(a_node("gpu-2", gpus=4), a_member(0), a_member(1))
    assert "1 of 2 have no other place now and would wait: llm/glm-1" in plan.costs


def test_the_drained_node_itself_is_no_other_place() -> None:
    assert "1 of 1 have no other place now and would wait: llm/glm-0" in drained(a_member(0)).costs


def test_bare_pods_are_refused_unless_the_node_is_named_again() -> None:
    bare = a_pod("nb", gpus=1)
    assert "llm/nb on gpu-1 has no controller" in drained(bare).refused
    assert "llm/nb on gpu-1 has no controller" in drained(bare, confirm="gpu-2").refused
    confirmed = drained(bare, confirm="gpu-1")
    assert confirmed.refused == ""
    assert "Lost for good, since nobody makes them again: llm/nb" in confirmed.costs


@pytest.mark.parametrize(
    ("records", "wanted"),
    [
        pytest.param((a_budget(1), a_member(0)), "", id="a budget that allows it says nothing"),
        pytest.param(
            (a_budget(1), a_member(0), a_member(1)), "llm/glm would refuse llm/glm-1 now", id="the second is refused"
        ),
        pytest.param((a_budget(0), a_member(0)), "llm/glm never allows llm/glm-0 to go", id="never, with all Ready"),
        pytest.param(
            (
                a_budget(0),
                a_member(0),
                a_member(1, node="gpu-2", phase="Pending"),
                a_member(2, node="", uid="p2"),
            ),
            "llm/glm would refuse llm/glm-0 now",
            id="not now, while one is not Ready",
        ),
        pytest.param((a_budget(0), a_member(0, phase="Pending")), "", id="a pod that has not started needs no budget"),
        pytest.param((a_budget(0, app="other"), a_member(0)), "", id="a budget of others does not matter"),
    ],
)
def test_what_a_budget_says(records: tuple[Any, ...], wanted: str) -> None:
    said = "\n".join(drained(a_node("gpu-2"), *records).warnings)
    assert wanted in said
    assert bool(said) is bool(wanted)


def test_two_budgets_on_one_pod_can_never_be_passed() -> None:
    other = msgspec.structs.replace(a_budget(5), name="also")
    assert "under several disruption budgets" in told(drained(a_budget(5), other, a_member(0)))


def test_data_that_ends_with_a_pod_is_named_and_shared_memory_is_not() -> None:
    whole = Fields(
        {"spec": {"volumes": [{"name": "cache", "emptyDir": {}}, {"name": "shm", "emptyDir": {"medium": "Memory"}}]}}
    )
    evidence = Evidence(objects={ObjectRef("Pod", "llm", "glm-0"): whole})
    plan = drained(a_member(0), a_member(1), evidence=evidence)
    assert "Data in emptyDir volumes is lost: llm/glm-0 (cache)" in plan.costs
    assert plan.unknown == ("whether llm/glm-1 keep data in emptyDir volumes",)


def test_an_empty_cordoned_node_has_nothing_to_drain() -> None:
    view = a_whole_view(a_node("gpu-1", unschedulable=True))
    assert "nothing is left there to evict" in drain.plan(an_ask(view, node="gpu-1")).refused


def test_a_node_that_others_cordoned_is_not_opened_by_the_undo() -> None:
    view = a_whole_view(a_node("gpu-1", unschedulable=True), a_member(0))
    plan = drain.plan(an_ask(view, node="gpu-1"))
    assert plan.undo == ()
    assert [step.says for step in plan.steps] == ["evict llm/glm-0"]


def test_a_drain_is_followed_until_the_very_pods_are_gone() -> None:
    view = a_whole_view(a_node("gpu-1", uid="n1"), a_member(0), a_member(1))
    plan = drain.plan(an_ask(view, node="gpu-1"))
    view.take("pods", "llm/glm-0")
    going = drain.follow(plan, view, NOW, NOW)
    assert (going.phase, going.sentence, going.lines) == (
        Phase.GOING,
        "1 of 2 pods are gone from gpu-1.",
        ("llm/glm-1 is still there",),
    )
    view.take("pods", "llm/glm-1")
    successor = a_pod("glm-1", node="gpu-1", owner=owned_by("DaemonSet", "x"), uid="new")
    view.put("pods", successor.key, successor)
    assert drain.follow(plan, view, NOW, NOW).phase is Phase.DONE


def test_a_taint_that_stays_is_told() -> None:
    node = a_node(
        "gpu-1",
        unschedulable=True,
        cordoned_by="gpubot",
        taints=(a_taint("node.kubernetes.io/disk-pressure:NoSchedule"),),
    )
    assert "disk-pressure" in told(uncordon.plan(an_ask(a_whole_view(node), node="gpu-1")))
