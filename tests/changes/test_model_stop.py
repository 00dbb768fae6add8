"""A model is stopped by one step with a way back; what gpubot deployed can go altogether; nobody's else can."""

from typing import Any

import pytest

from bot.changes.collect import change_kinds
from bot.changes.kind import Ask, Phase
from bot.changes.kinds.model_stop import CHANGE
from bot.domain.change import Plan, Verb
from bot.domain.evidence import Evidence, MetricsRef
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from tests.factories import NOW, POLICY
from tests.scaling.building import Object, view_of
from tests.scaling.test_served import isvc
from tests.views.model_scenes import GLM, fleet, serving

OURS = {"app.kubernetes.io/instance": "glm", "app.kubernetes.io/managed-by": "gpubot"}


def ask(view: View, kind: str = "Deployment", name: str = "glm", seen: Evidence | None = None, **more: str) -> Ask:
    arguments = {"kind": kind, "namespace": "llm", "name": name, **more}
    return Ask(arguments, view, Inventory(view, POLICY), NOW, "it moved", seen or Evidence())


def deployed(labels: dict[str, str] | None = None, replicas: int | None = None) -> View:
    objects = serving("glm", ["gpu-1", "gpu-2"], *GLM, replicas=replicas)
    objects[0]["metadata"]["labels"] = labels or {}
    return view_of(*fleet(2), *objects, service("glm", labels or {}), service("other", {**OURS, **_OTHER}))


_OTHER = {"app.kubernetes.io/instance": "bge"}


def service(name: str, labels: dict[str, str]) -> Object:
    meta: dict[str, Any] = {"name": name, "namespace": "llm", "uid": f"svc-{name}", "labels": labels}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"selector": {"app": name}}}


def plan(view: View, **more: str) -> Plan:
    return CHANGE.plan(ask(view, **more))


def test_it_is_a_kind_of_change() -> None:
    assert change_kinds()["model-stop"] is CHANGE


def test_it_sets_no_replicas_and_can_set_them_back() -> None:
    told = plan(deployed())
    [step], [back] = told.steps, told.undo
    assert (step.verb, step.body, back.body) == (Verb.PATCH, {"spec": {"replicas": 0}}, {"spec": {"replicas": 2}})
    assert (told.size.replicas, told.size.gpus, told.title) == (2, 16, "stop deployment llm/glm (model glm)")
    assert "16 GPUs on 2 nodes come free" in told.effects[0]
    assert any("Service glm has no pod behind it" in one for one in told.costs)


def test_the_same_plan_comes_from_its_own_arguments_whatever_the_engines_say() -> None:
    view = deployed()
    told = plan(view)
    busy = Evidence(texts={MetricsRef("llm", "glm-abc-0"): "vllm:num_requests_running 3\n"})
    again = CHANGE.plan(Ask(told.arguments, view, Inventory(view, POLICY), NOW, "it moved", busy))
    assert again.digest == told.digest


def test_what_gpubot_deployed_goes_altogether_and_nothing_else() -> None:
    told = plan(deployed(OURS), remove="yes")
    assert [(step.verb, str(step.target)) for step in told.steps] == [
        (Verb.DELETE, "service/glm"),
        (Verb.DELETE, "deployment/glm"),
    ]
    assert told.undo == ()
    assert all(step.target.uid for step in told.steps)


@pytest.mark.parametrize(
    ("view", "more", "says"),
    [
        pytest.param(deployed(), {"remove": "yes"}, "was not deployed by gpubot", id="somebody else made it"),
        pytest.param(deployed(replicas=0), {}, "is stopped already", id="there are no replicas"),
    ],
)
def test_it_is_refused(view: View, more: dict[str, str], says: str) -> None:
    told = plan(view, **more)
    assert says in told.refused
    assert (told.steps, told.undo, told.effects) == ((), (), ())


def test_kserve_is_told_to_stop_it_and_to_run_it_again() -> None:
    told = CHANGE.plan(ask(view_of(isvc()), "InferenceService", "kglm"))
    [step], [back] = told.steps, told.undo
    assert step.body == {"metadata": {"annotations": {"serving.kserve.io/stop": "true"}}}
    assert back.body == {"metadata": {"annotations": {"serving.kserve.io/stop": "false"}}}
    assert "serving.kserve.io/stop=true" in step.command
    assert "serving.kserve.io/stop=false --overwrite" in back.command


def test_it_is_followed_until_the_last_pod_has_gone() -> None:
    view = deployed()
    told = plan(view)
    going = CHANGE.follow(told, deployed(replicas=0), NOW, NOW)
    assert going.phase is Phase.GOING
    empty = view_of(*fleet(2), *serving("glm", [], *GLM, replicas=0))
    assert CHANGE.follow(told, empty, NOW, NOW).phase is Phase.DONE


def test_a_removal_is_done_when_the_object_is_gone() -> None:
    told = plan(deployed(OURS), remove="yes")
    assert CHANGE.follow(told, deployed(OURS), NOW, NOW).phase is Phase.GOING
    assert CHANGE.follow(told, view_of(*fleet(2)), NOW, NOW).phase is Phase.DONE


def test_requests_in_flight_are_waited_for() -> None:
    view = deployed()
    told = plan(view)
    assert CHANGE.hold is not None
    busy = Evidence(texts={MetricsRef("llm", "glm-abc-0"): "vllm:num_requests_running 3\n"})
    assert "3 requests in flight" in CHANGE.hold(told, view, NOW, NOW, busy)
    assert CHANGE.hold(told, view, NOW, NOW, Evidence()) == ""
