"""The plan of a scale: one step with its way back, made again from its arguments, and who speaks against it."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.changes.collect import change_kinds
from bot.changes.kind import Ask, Phase
from bot.changes.kinds.scale import CHANGE
from bot.changes.managers.fields import touched
from bot.changes.scale_ask import scale_ask
from bot.changes.scale_hold import DRAINED_SECONDS
from bot.domain.change import Plan, Verb
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.evidence import NO_EVIDENCE, Evidence, MetricsRef, ObjectRef
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from tests.factories import NOW, POLICY
from tests.scaling.building import Object, evidence, node, pod, reference, running, view_of


def _ask(view: View, typed: str, seen: Evidence = NO_EVIDENCE, now: datetime = NOW) -> Ask:
    return scale_ask(typed.split(), {}, view, Inventory(view, POLICY), now, seen)


def _plan(view: View, typed: str, seen: Evidence = NO_EVIDENCE) -> Plan:
    return CHANGE.plan(_ask(view, typed, seen))


def _fleet() -> list[Object]:
    return [node("gpu-1"), node("gpu-2"), node("gpu-3")]


def _view(*more: Object, on: tuple[str, ...] = ("gpu-1", "gpu-2"), **spec: Any) -> View:
    return view_of(*_fleet(), *running(on, gpus=4, **spec), *more)


def test_it_is_a_kind_of_change() -> None:
    assert change_kinds()["scale"] is CHANGE


def test_one_step_sets_the_scale_and_one_sets_it_back() -> None:
    plan = _plan(_view(), "glm 4 because a launch")
    (step,) = plan.steps
    assert step.verb is Verb.PATCH
    assert (step.target.resource, step.target.subresource, step.target.uid) == ("deployments", "scale", "glm")
    assert step.body == {"spec": {"replicas": 4}}
    assert (step.before, step.after) == ({"spec.replicas": 2}, {"spec.replicas": 4})
    assert step.command == "kubectl -n llm scale deployment/glm --replicas=4 --current-replicas=2"
    assert touched(step) == (".spec.replicas",)
    (back,) = plan.undo
    assert back.body == {"spec": {"replicas": 2}}
    assert (back.before, back.after) == (step.after, step.before)
    assert (plan.size.replicas, plan.size.gpus, plan.size.namespaces) == (2, 8, ("llm",))
    assert (plan.title, plan.because) == ("scale llm/glm from 2 to 4", "a launch")


def test_the_same_plan_comes_again_from_its_arguments() -> None:
    view = _view()
    plan = _plan(view, "glm +2 until 18:00")
    later = Ask(plan.arguments, view, Inventory(view, POLICY), NOW + timedelta(minutes=5), because=plan.because)
    assert CHANGE.plan(later).digest == plan.digest


def test_a_number_that_somebody_else_set_meanwhile_makes_another_plan() -> None:
    view = _view()
    plan = _plan(view, "glm 4")
    moved = _view(on=("gpu-1", "gpu-2", "gpu-3"))
    again = CHANGE.plan(Ask(plan.arguments, moved, Inventory(moved, POLICY), NOW))
    assert again.digest != plan.digest


def test_a_temporary_one_knows_its_end() -> None:
    plan = _plan(_view(), "glm 4 for 3h")
    assert plan.ends_at == NOW + timedelta(hours=3)
    assert "until 2026-11-30 15:00 UTC" in plan.title
    assert any("it goes back to 2 by itself" in one for one in plan.effects)


def test_one_whose_end_is_past_by_the_click_is_refused() -> None:
    view = _view()
    arguments = dict(_plan(view, "glm 4 for 3h").arguments)
    late = Ask(arguments, view, Inventory(view, POLICY), NOW + timedelta(hours=4))
    assert "is past" in CHANGE.plan(late).refused


def test_what_is_so_already_is_refused() -> None:
    plan = _plan(_view(), "glm 2")
    assert plan.refused == "llm/glm is asked for 2 replicas already (2 ready), so there is nothing to change."
    assert not plan.steps


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        pytest.param({"kind": "Node"}, UsageError, "“Node” cannot be scaled", id="another kind"),
        pytest.param({"name": "gone"}, NotFoundError, "There is no Deployment “llm/gone” any more", id="gone"),
        pytest.param({"replicas": "-1"}, UsageError, "is no number of replicas", id="a forged number"),
        pytest.param({"replicas": "9" * 30}, UsageError, "is no number of replicas", id="a huge number"),
        pytest.param({"ends_at": "soon"}, UsageError, "“soon” is no time", id="a forged time"),
    ],
)
def test_arguments_are_not_trusted(arguments: dict[str, str], error: type[Exception], says: str) -> None:
    view = _view()
    told = {"kind": "Deployment", "namespace": "llm", "name": "glm", "replicas": "3"} | arguments
    with pytest.raises(error, match=says):
        CHANGE.plan(Ask(told, view, Inventory(view, POLICY), NOW))


# ---- who speaks against it -------------------------------------------------------------------------------------------


def _hpa(least: int, most: int, name: str = "glm", **meta: Any) -> Object:
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "namespace": "llm", "uid": f"hpa-{name}", **meta},
        "spec": {"minReplicas": least, "maxReplicas": most, "scaleTargetRef": {"kind": "Deployment", "name": "glm"}},
        "status": {"currentReplicas": 2, "desiredReplicas": 2},
    }


@pytest.mark.parametrize(
    ("replicas", "begins"),
    [
        pytest.param(6, "HPA `glm` owns the replicas (minReplicas 2, maxReplicas 4): it sets 6 back to", id="above"),
        pytest.param(1, "HPA `glm` owns the replicas (minReplicas 2, maxReplicas 4): it sets 1 back to", id="below"),
        pytest.param(3, "The new replica of llm/glm would get a node now", id="between"),
    ],
)
def test_who_takes_it_back_for_sure_is_said_first(replicas: int, begins: str) -> None:
    plan = _plan(_view(_hpa(2, 4)), f"glm {replicas}")
    assert plan.effects[0].startswith(begins)
    assert any("minReplicas" in one or "maxReplicas" in one for one in plan.instead)


def test_managed_fields_tell_whose_the_number_is() -> None:
    view = _view()
    argo = {"manager": "argocd-controller", "operation": "Apply", "apiVersion": "apps/v1", "fieldsType": "FieldsV1"}
    mine = argo | {"fieldsV1": {"f:spec": {"f:replicas": {}}}}
    others = argo | {"fieldsV1": {"f:spec": {"f:template": {"f:spec": {}}}}}
    labels = {"argocd.argoproj.io/instance": "shop"}
    for fields, told in ((mine, True), (others, False)):
        whole = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "glm", "namespace": "llm", "managedFields": [fields], "labels": labels},
        }
        plan = _plan(view, "glm 3", evidence(whole))
        assert any("Argo CD" in one for one in plan.warnings) is told
        assert any("replicas 2 → 3" in one for one in plan.instead) is told


def test_the_last_replica_of_a_model_is_a_cost() -> None:
    plan = _plan(_view(), "glm to 0")
    assert plan.effects[0].startswith("All 2 replicas of llm/glm would go, which frees 8 GPUs")
    assert any("Model glm-5 is served no more" in one and "nobody else" in one for one in plan.costs)


def test_whoever_else_serves_it_is_named() -> None:
    plan = _plan(_view(*running(["gpu-3"], name="spare")), "deployment/glm 0")
    assert any("llm/spare serves it, too" in one for one in plan.costs)


def test_an_inference_service_is_patched_and_its_maximum_with_it() -> None:
    service = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "chat", "namespace": "llm", "uid": "chat"},
        "spec": {"predictor": {"minReplicas": 1, "maxReplicas": 2, "containers": []}},
    }
    plan = _plan(view_of(*_fleet(), service), "chat 3")
    (step,) = plan.steps
    assert step.target.subresource == ""
    assert step.body == {"spec": {"predictor": {"minReplicas": 3, "maxReplicas": 3}}}
    assert plan.undo[0].body == {"spec": {"predictor": {"minReplicas": 1, "maxReplicas": 2}}}


# ---- what is looked up -----------------------------------------------------------------------------------------------


def test_metrics_are_asked_of_pods_that_go_only() -> None:
    view = _view()
    up = CHANGE.wants(_ask(view, "glm 3")) if CHANGE.wants else None
    down = CHANGE.wants(_ask(view, "glm 1")) if CHANGE.wants else None
    assert up is not None
    assert down is not None
    assert ObjectRef("Deployment", "llm", "glm") in up.refs
    assert not any(isinstance(one, MetricsRef) for one in up.refs)
    assert any(isinstance(one, MetricsRef) for one in down.refs)


# ---- before, and after -----------------------------------------------------------------------------------------------

BUSY = {"glm-abc-0": "vllm:num_requests_running 3\n", "glm-abc-1": "vllm:num_requests_running 3\n"}


def _held(view: View, plan: Plan, seconds: float, metrics: dict[str, str]) -> str:
    assert CHANGE.hold is not None
    return CHANGE.hold(plan, view, NOW + timedelta(seconds=seconds), NOW, evidence(metrics=metrics))


def test_requests_in_flight_are_waited_for_and_not_for_ever() -> None:
    view = _view()
    plan = _plan(view, "glm 1")
    assert "3 requests in flight" in _held(view, plan, 10, BUSY)
    assert _held(view, plan, DRAINED_SECONDS, BUSY) == ""
    assert _held(view, plan, 10, {}) == ""


def test_nothing_is_waited_for_when_there_are_to_be_more() -> None:
    view = _view()
    assert _held(view, _plan(view, "glm 3"), 10, BUSY) == ""


def _followed(before: View, after: View, typed: str, seconds: float = 60) -> tuple[Phase, str, tuple[str, ...], str]:
    progress = CHANGE.follow(_plan(before, typed), after, NOW + timedelta(seconds=seconds), NOW)
    return progress.phase, progress.sentence, progress.lines, progress.subject


def _grown(*third: Object, wanted: int = 3) -> View:
    objects = running(["gpu-1", "gpu-2"], gpus=4)
    objects[0]["spec"]["replicas"] = wanted
    return view_of(*_fleet(), *objects, *third)


def _third(**changed: Any) -> Object:
    owner = running([], gpus=4)[1]
    return pod(owner, "glm-abc-2", **changed)


CREATING = {
    "phase": "Pending",
    "containerStatuses": [{"name": "engine", "state": {"waiting": {"reason": "ContainerCreating"}}}],
}


@pytest.mark.parametrize(
    ("third", "seconds", "phase", "says"),
    [
        pytest.param([_third(on="gpu-3")], 60, Phase.DONE, "llm/glm has 3 of 3 replicas ready", id="ready"),
        pytest.param([], 5, Phase.GOING, "2 of 3 replicas of llm/glm are ready, 1 pod not made yet", id="not made"),
        pytest.param([_third()], 60, Phase.GOING, "glm-abc-2: waits for a node", id="not placed"),
        pytest.param([_third() | {"status": CREATING}], 60, Phase.GOING, "waits for a node", id="pending"),
        pytest.param([_third(on="gpu-3", ready=False)], 60, Phase.GOING, "glm-abc-2: on gpu-3, it loads", id="loading"),
        pytest.param(
            [_third(on="gpu-3", ready=False, restarts=4)], 60, Phase.FAILED, "crashes again and again", id="crashing"
        ),
        pytest.param([_third()], 1500, Phase.FAILED, "glm-abc-2 has found no place for 25 min", id="no place for long"),
    ],
)
def test_each_pod_is_followed_until_it_is_ready(third: list[Object], seconds: float, phase: Phase, says: str) -> None:
    found, sentence, lines, subject = _followed(_view(), _grown(*third), "glm 3", seconds)
    assert found is phase
    assert says in " ".join((sentence, *lines))
    assert (subject != "") is (phase is not Phase.DONE)


def test_somebody_else_who_sets_another_number_ends_it() -> None:
    phase, sentence, _, subject = _followed(_view(), _grown(wanted=5), "glm 3")
    assert (phase, sentence) == (Phase.FAILED, "Somebody else has set llm/glm to 5 since.")
    assert subject == "deployment/llm/glm"


def test_what_the_view_does_not_show_yet_is_waited_for() -> None:
    assert _followed(_view(), _view(), "glm 3", 5)[0] is Phase.GOING
    assert _followed(_view(), _view(), "glm 3", 60)[0] is Phase.FAILED


def test_fewer_is_done_when_the_others_are_gone() -> None:
    before = _view()
    gone = running(["gpu-1"], gpus=4)
    assert _followed(before, view_of(*_fleet(), *gone), "glm 1")[0] is Phase.DONE
    left = running(["gpu-1", "gpu-2"], gpus=4)
    left[0]["spec"]["replicas"] = 1
    left[3]["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:30Z"
    phase, _, lines, _ = _followed(before, view_of(*_fleet(), *left), "glm 1")
    assert (phase, lines) == (Phase.GOING, ("glm-abc-1 ends",))


def test_an_object_that_is_gone_ends_it() -> None:
    assert _followed(_view(), view_of(*_fleet()), "glm 3")[0] is Phase.FAILED


# ---- KServe ----------------------------------------------------------------------------------------------------------


def _served(**predictor: Any) -> list[Object]:
    """An InferenceService with its Deployment, as KServe without Knative makes it."""
    service = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "chat", "namespace": "llm", "uid": "chat"},
        "spec": {"predictor": {"minReplicas": 1, **predictor}},
    }
    top, *below = running(["gpu-1"], name="chat-predictor")
    top["metadata"]["ownerReferences"] = [{**reference(service)}]
    return [service, top, *below]


def test_kserve_without_knative_keeps_one() -> None:
    plan = _plan(view_of(*_fleet(), *_served()), "isvc/chat 0")
    assert "KServe keeps 1 replica" in plan.refused
    assert "serving.kserve.io/stop=true" in plan.refused


def test_the_command_raises_the_maximum_as_the_step_does() -> None:
    (step,) = _plan(view_of(*_fleet(), *_served(maxReplicas=2)), "isvc/chat 4").steps
    assert step.body == {"spec": {"predictor": {"minReplicas": 4, "maxReplicas": 4}}}
    assert '{"spec":{"predictor":{"minReplicas":4,"maxReplicas":4}}}' in step.command
