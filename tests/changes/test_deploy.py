"""A deployment as a change: what its plan does and undoes, when it is refused, how it is followed, and its last word."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from bot.changes.collect import change_kinds
from bot.changes.kind import Phase
from bot.domain.change import Plan, Verb
from bot.domain.errors import UsageError
from bot.domain.evidence import NO_EVIDENCE
from bot.domain.pod import Container
from bot.domain.probing import Pace, Smoke
from bot.domain.view import View
from tests.changes.building import an_ask as plain_ask
from tests.deploying.building import Object, a_cluster, an_ask, gpu_node, holder
from tests.factories import NOW, a_pod

KIND = change_kinds()["deploy"]


def planned(view: View, model: str = "flash", **arguments: str) -> Plan:
    return KIND.plan(an_ask(view, model, **arguments))


def kinds(plan: Plan) -> list[str]:
    return [f"{step.verb} {step.target.kind}" for step in plan.steps]


def test_a_new_one_is_created_in_order_and_taken_back_in_the_other() -> None:
    plan = planned(a_cluster(gpu_node("g1")), name="flash")
    assert kinds(plan) == [
        "apply ConfigMap",
        "apply PersistentVolumeClaim",
        "apply Job",
        "apply Deployment",
        "apply Service",
        "apply PodDisruptionBudget",
    ]
    assert [step.verb for step in plan.undo] == [Verb.DELETE] * 6
    assert [step.target for step in plan.undo] == [step.target for step in reversed(plan.steps)]
    assert plan.refused == ""
    assert plan.title == "deploy GLM-4.7-Flash bf16 on 1 H200 as llm/flash"
    assert (plan.size.gpus, plan.size.replicas, plan.size.namespaces) == (1, 1, ("llm",))


def test_the_same_plan_comes_from_its_own_arguments() -> None:
    """What the planner chose is kept, so that a click later does what was shown."""
    view = a_cluster(gpu_node("g1"), gpu_node("g2", "B200"))
    first = planned(view, "glm", context="128k")
    again = KIND.plan(plain_ask(view, **first.arguments))
    assert again.digest == first.digest
    assert msgspec.json.decode(msgspec.json.encode(first), type=Plan).digest == first.digest


def test_a_fleet_that_changes_beside_it_changes_nothing() -> None:
    first = planned(a_cluster(gpu_node("g1"), gpu_node("g2")), "glm")
    later = a_cluster(gpu_node("g1"), gpu_node("g2"), gpu_node("g3", "B200"))
    assert KIND.plan(plain_ask(later, **first.arguments)).digest == first.digest


REFUSED = [
    pytest.param([], {}, "no GPU of this cluster", id="no GPUs"),
    pytest.param([gpu_node("g1", "A100")], {"model": "glm"}, "sparse attention", id="no kernel"),
    pytest.param([gpu_node("g1")], {"namespace": "nowhere"}, "there is no namespace", id="no namespace"),
    pytest.param([gpu_node("g1"), holder("a", "g1", 8)], {"model": "glm"}, "add `wait=yes`", id="no room"),
    pytest.param([gpu_node("g1")], {"source": "pvc:w"}, "there is no claim `w`", id="no weights"),
]


@pytest.mark.parametrize(("objects", "arguments", "says"), REFUSED)
def test_what_would_not_start_is_refused_before_anything_is_made(
    objects: list[Object], arguments: dict[str, str], says: str
) -> None:
    plan = planned(a_cluster(*objects), **{"model": "flash", **arguments})
    assert says in plan.refused
    assert plan.steps == ()
    assert plan.undo == ()


def test_who_says_so_lets_it_wait_for_room() -> None:
    plan = planned(a_cluster(gpu_node("g1"), holder("a", "g1", 8)), "glm", wait="yes")
    assert plan.refused == ""
    assert any("would wait" in one for one in plan.warnings)
    assert plan.steps


def running(plan: Plan) -> list[Object]:
    """What the plan makes, as it stands in the cluster afterwards."""
    made = []
    for step in plan.steps:
        body = msgspec.json.decode(msgspec.json.encode(step.body))
        body["metadata"]["uid"] = f"uid-{step.target.kind}"
        body.setdefault("status", {"replicas": 1})
        made.append(body)
    return [one for one in made if one["kind"] in ("Deployment", "Service", "Job", "PersistentVolumeClaim")]


def test_another_version_rolls_what_is_there_and_goes_back_to_the_revision_before() -> None:
    first = planned(a_cluster(gpu_node("g1")), "flash", name="flash")
    view = a_cluster(gpu_node("g1"), *running(first), holder("flash-x", "g1", 1, namespace="llm"))
    plan = planned(view, "flash", name="flash", image="vllm/vllm-openai:v0.34.0")
    assert plan.refused == ""
    assert "apply Job" not in kinds(plan), "its weights are there"
    assert "apply Deployment" in kinds(plan)
    [back] = plan.undo
    assert (back.verb, back.target.kind) == (Verb.PATCH, "Deployment")
    image = back.body["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "vllm/vllm-openai:v0.33.0"
    assert "rollout undo" in back.command


@pytest.mark.parametrize("wrong", [{"model": "nope"}, {"replicas": "0"}, {"name": "a\nb"}])
def test_forged_arguments_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        planned(a_cluster(gpu_node("g1")), **{"model": "flash", **wrong})


# ---- followed --------------------------------------------------------------------------------------------------------


def followed(*pods: Any, minutes: float = 1, **arguments: str) -> Any:
    plan = planned(a_cluster(gpu_node("g1")), "flash", name="flash", **arguments)
    view = a_cluster(gpu_node("g1"))
    for one in pods:
        view.put("pods", one.key, one)
    return KIND.follow(plan, view, NOW, NOW - timedelta(minutes=minutes))


def replica(name: str = "flash-a", **changed: Any) -> Any:
    labels = {"app.kubernetes.io/instance": "flash", "gpubot.dev/model": "glm-4.7-flash"}
    containers = (Container("vllm", "vllm/vllm-openai:v0.33.0"),)
    return a_pod(name, node="g1", labels=labels, **({"containers": containers} | changed))


def test_nothing_made_yet() -> None:
    found = followed()
    assert found.phase is Phase.GOING
    assert "0 of 1 pod ready" in found.sentence
    assert found.lines[0].startswith("▶ admitted: 0 of 1 pod made")


def test_all_ready_is_done() -> None:
    assert followed(replica()).phase is Phase.DONE


def test_pods_of_an_older_image_do_not_count() -> None:
    old = replica(containers=(Container("vllm", "vllm/vllm-openai:v0.20.0"),))
    assert followed(old).phase is Phase.GOING


def test_a_download_that_fails_ends_it() -> None:
    job = a_pod("flash-download-x", node="g1", gpus=0, labels={"gpubot.dev/download": "flash"}, phase="Failed")
    found = followed(job)
    assert found.phase is Phase.FAILED
    assert "the download of its weights fails (`/why llm/flash-download-x`)" in found.sentence


def test_it_is_followed_by_whole_pods_and_the_ends_of_their_logs() -> None:
    plan = planned(a_cluster(gpu_node("g1")), "flash", name="flash")
    view = a_cluster(gpu_node("g1"))
    view.put("pods", "llm/flash-a", replica())
    assert KIND.follow_wants is not None
    assert KIND.follow_seen is not None
    assert [str(one) for one in KIND.follow_wants(plan, view).refs][-1] == "log of llm/flash-a (vllm)"
    assert KIND.follow_seen(plan, view, NOW, NOW, NO_EVIDENCE).phase is Phase.DONE


# ---- the last word ---------------------------------------------------------------------------------------------------


def smoked(smoke: Smoke) -> Any:
    plan = planned(a_cluster(gpu_node("g1")), "flash", name="flash")
    assert KIND.smoke is not None
    assert KIND.smoked is not None
    where = KIND.smoke(plan)
    assert (where.namespace, where.service, where.port, where.model, where.tools) == (
        "llm",
        "flash",
        8000,
        "flash",
        True,
    )
    return KIND.smoked(plan, followed(replica()), smoke)


def test_what_answers_is_done_with_its_figures_and_how_to_ask_it() -> None:
    told = smoked(Smoke("Hello there", (Pace(1, 0.18, 45.2), Pace(8, 0.31, 320.0)), called=True))
    assert told.phase is Phase.DONE
    text = "\n".join(told.lines)
    assert "“Hello there”" in text
    assert "A tool call came and parsed" in text
    assert "8 at once: 0.31 s to the first token, 320 tokens a second in all" in text
    assert "curl http://flash.llm.svc:8000/v1/chat/completions" in text
    assert 'OpenAI(base_url="http://flash.llm.svc:8000/v1"' in text


@pytest.mark.parametrize(
    "wrong", ["no tool call came although a tool was offered", "503: error trying to reach service", "it hung"]
)
def test_what_is_ready_and_does_not_answer_has_failed(wrong: str) -> None:
    told = smoked(Smoke("", wrong=wrong))
    assert told.phase is Phase.FAILED
    assert wrong in told.sentence
    assert told.subject == "deployment/llm/flash"


def test_it_reads_what_it_needs() -> None:
    assert {"storageclasses", "namespaces", "persistentvolumeclaims", "nodes", "pods"} <= KIND.needs
