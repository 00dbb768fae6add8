"""A deployment as a change: what its plan does and undoes, when it is refused, how it is followed, and its last word."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from bot.changes.collect import change_kinds
from bot.changes.deploy_steps import restored
from bot.changes.kind import Phase
from bot.domain.change import Plan, Verb
from bot.domain.errors import UsageError
from bot.domain.evidence import Evidence, LogRef, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.domain.pod import Container, ContainerState
from bot.domain.probing import Pace, Smoke
from bot.domain.view import View
from bot.grammar import parse
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


def test_the_line_that_asks_again_is_the_same_wish() -> None:
    """As it comes back from a button: parsed, and with everything that was chosen."""
    view = a_cluster(gpu_node("g1"), gpu_node("g2", "B200"))
    ends = (NOW + timedelta(hours=6)).isoformat()
    first = planned(view, "glm", args="--max-num-seqs=64,--seed=1", wait="yes", ends_at=ends)
    parsed = parse(f"{first.again} @prod because")
    assert parsed.words[:2] == ("deploy", "glm")
    options = {key: value or "" for key, value in parsed.options.items()}
    assert options.pop("until") == ends
    again = planned(view, "glm", **options, ends_at=ends)
    assert (again.steps, again.ends_at) == (first.steps, first.ends_at)


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
    kept = ("Deployment", "Service", "Job", "PersistentVolumeClaim", "PodDisruptionBudget")
    return [one for one in made if one["kind"] in kept]


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


def test_what_came_with_the_new_version_goes_when_the_revision_before_comes_back() -> None:
    first = planned(a_cluster(gpu_node("g1")), "flash", name="flash", replicas="2")
    view = a_cluster(gpu_node("g1"), *running(first), holder("flash-x", "g1", 2, namespace="llm"))
    plan = planned(view, "flash", name="flash", replicas="2", autoscale="waiting", max="3")
    assert plan.refused == ""
    assert [(one.verb, one.target.kind) for one in plan.undo] == [
        (Verb.PATCH, "Deployment"),
        (Verb.DELETE, "ScaledObject"),
    ]


def test_a_download_that_has_failed_is_not_waited_for_once_more() -> None:
    first = planned(a_cluster(gpu_node("g1")), "flash", name="flash")
    objects = running(first)
    for one in objects:
        if one["kind"] == "Job":
            one["status"] = {"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]}
    plan = planned(a_cluster(gpu_node("g1"), *objects), "flash", name="flash")
    assert "`kubectl -n llm delete job flash-bf16-download`" in plan.refused
    assert plan.steps == ()


RESTORED = [
    pytest.param({"a": 1}, {"a": 2}, {"a": 1}, id="a value comes back"),
    pytest.param({"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": None}, id="what only the new has goes"),
    pytest.param({"a": [1]}, {"a": [1, 2]}, {"a": [1]}, id="lists are whole"),
    pytest.param({"a": {"x": 1}}, {"a": {"y": 1}}, {"a": {"x": 1, "y": None}}, id="the same further down"),
    pytest.param({"a": {"x": 1}}, {"a": [1]}, {"a": {"x": 1}}, id="another type"),
    pytest.param(
        {"strategy": {"type": "Recreate"}},
        {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}},
        {"strategy": {"type": "Recreate", "rollingUpdate": None}},
        id="a strategy without numbers",
    ),
]


@pytest.mark.parametrize(("old", "new", "patch"), RESTORED)
def test_the_patch_back_makes_the_old_of_the_new(old: Object, new: Object, patch: Object) -> None:
    assert restored(old, new) == patch
    assert merged(new, patch) == old


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key), value)
    return found


def test_every_no_is_told_at_once_and_the_others_are_counted() -> None:
    """Who mends the first should not find the second only then."""
    plan = planned(a_cluster(gpu_node("g1"), holder("a", "g1", 8)), "glm", source="pvc:w", queue="nowhere")
    assert "there is no claim `w`" in plan.refused
    assert any("nowhere" in one for one in plan.warnings)
    assert any("would wait" in one for one in plan.warnings)
    assert not any("no claim" in one for one in plan.warnings), "said already"
    assert plan.effects[-1].endswith("of the preflight are as they should be")


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
    return a_pod(name, node="g1", **({"containers": containers, "labels": labels} | changed))


NOT_READY: dict[str, Any] = {"phase": "Running", "conditions": (Condition("Ready", "False"),)}


def download(**changed: Any) -> Any:
    return a_pod("flash-download-x", node="g1", gpus=0, labels={"gpubot.dev/download": "flash"}, **changed)


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
    found = followed(download(phase="Failed"))
    assert found.phase is Phase.FAILED
    assert "the download of its weights fails (`/why llm/flash-download-x`)" in found.sentence


def whole(plan: Plan, pod: str = "flash-a", **status: Any) -> tuple[ObjectRef, Fields]:
    """As the API server has one that this plan made."""
    spec = next(step.body["spec"]["template"]["spec"] for step in plan.steps if step.target.kind == "Deployment")
    return ObjectRef("Pod", "llm", pod), Fields({"spec": spec, "status": status})


@pytest.mark.parametrize("changed", [{"args": "--max-num-seqs=64"}, {"context": "32k"}])
def test_pods_with_the_arguments_of_before_do_not_count(changed: dict[str, str]) -> None:
    """The image is the same, so by that alone the old pod would be the new one."""
    first = planned(a_cluster(gpu_node("g1")), "flash", name="flash")
    there = a_cluster(gpu_node("g1"), *running(first), holder("flash-x", "g1", 1, namespace="llm"))
    plan = planned(there, "flash", name="flash", **changed)
    assert plan.refused == ""
    view = a_cluster(gpu_node("g1"))
    view.put("pods", "llm/flash-a", replica())
    assert KIND.follow_seen is not None
    assert KIND.follow_seen(plan, view, NOW, NOW, Evidence(dict([whole(first)]))).phase is Phase.GOING
    assert KIND.follow_seen(plan, view, NOW, NOW, Evidence(dict([whole(plan)]))).phase is Phase.DONE
    assert KIND.follow(plan, view, NOW, NOW).phase is Phase.GOING, "what was not looked up is not taken for new"


def ago(minutes: float) -> str:
    return (NOW - timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def test_late_by_what_the_same_weights_took_here_before() -> None:
    """By the facts alone 12 minutes of loading are within its budget; the elder was ready in two."""
    plan = planned(a_cluster(gpu_node("g1")), "flash", name="flash")
    view = a_cluster(gpu_node("g1"))
    loads = replica(created=ago(14), states=(ContainerState("vllm"),), **NOT_READY)
    view.put("pods", loads.key, loads)
    running_since = {"name": "vllm", "state": {"running": {"startedAt": ago(9)}}}
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": ago(13)}
    mine = whole(plan, conditions=[scheduled], containerStatuses=[running_since])
    assert KIND.follow_seen is not None
    assert KIND.follow_seen(plan, view, NOW, NOW - timedelta(minutes=14), Evidence(dict([mine]))).late == ""
    elder = replica(
        "old-a",
        created=ago(101),
        labels=loads.labels | {"app.kubernetes.io/instance": "old", "gpubot.dev/variant": "bf16"},
    )
    view.put("pods", elder.key, elder)
    conditions = [
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": ago(100)},
        {"type": "Ready", "status": "True", "lastTransitionTime": ago(97)},
    ]
    begun = {"name": "vllm", "state": {"running": {"startedAt": ago(99)}}}
    other = whole(plan, "old-a", conditions=conditions, containerStatuses=[begun])
    found = KIND.follow_seen(plan, view, NOW, NOW - timedelta(minutes=14), Evidence(dict([mine, other])))
    assert found.late == "loading"
    assert found.subject == "llm/flash-a"
    assert "loading takes longer than it should" in found.sentence


def test_pods_that_nobody_makes_are_asked_about_by_their_owner() -> None:
    found = followed(minutes=5)
    assert (found.late, found.subject) == ("admitted", "deployment/llm/flash")


def test_the_download_tells_how_far_the_weights_are() -> None:
    plan = planned(a_cluster(gpu_node("g1")), "flash", name="flash")
    view = a_cluster(gpu_node("g1"))
    view.put("pods", "llm/flash-a", replica(states=(ContainerState("vllm", waiting="PodInitializing"),), **NOT_READY))
    view.put("pods", "llm/flash-download-x", download(phase="Running"))
    waits = [{"name": "weights", "state": {"running": {"startedAt": ago(2)}}}]
    pod = whole(plan, initContainerStatuses=waits)
    log = {
        LogRef(
            "llm", "flash-download-x", "download"
        ): "Downloading (incomplete total...):  50%|█| 31.2G/40.0G [00:20<00:20, 1.5GB/s]"
    }
    assert KIND.follow_seen is not None
    found = KIND.follow_seen(plan, view, NOW, NOW, Evidence(dict([pod]), log))
    assert "▶ weights: 31 of 62 GB, 1.6 GB/s, about 20 s left" in found.lines[0]


def test_it_is_followed_by_whole_pods_and_the_ends_of_their_logs() -> None:
    plan = planned(a_cluster(gpu_node("g1")), "flash", name="flash")
    view = a_cluster(gpu_node("g1"))
    view.put("pods", "llm/flash-a", replica())
    assert KIND.follow_wants is not None
    assert KIND.follow_seen is not None
    assert [str(one) for one in KIND.follow_wants(plan, view).refs] == ["Pod llm/flash-a"], "a ready one has no start"
    view.put("pods", "llm/flash-b", replica("flash-b", states=(ContainerState("vllm", restarts=1),), **NOT_READY))
    view.put("pods", "llm/flash-download-x", download())
    assert [str(one) for one in KIND.follow_wants(plan, view).refs] == [
        "Pod llm/flash-a",
        "Pod llm/flash-b",
        "log of llm/flash-download-x (download)",
        "log of llm/flash-b (vllm)",
        "previous log of llm/flash-b (vllm)",
    ]


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
    assert "✓ ready · ✓ first token 0.18 s" in text
    assert "“Hello there”" in text
    assert "A tool call came and parsed" in text
    assert "`http://flash.llm.svc:8000/v1`" in text
    assert "`kubectl -n llm port-forward service/flash 8000:8000`" in text
    paces, curl, python = told.parts
    assert paces.rows == (("1", "0.18 s", "45", "0"), ("8", "0.31 s", "320", "0"))
    assert curl.lines[0] == "curl http://flash.llm.svc:8000/v1/chat/completions \\"
    assert msgspec.json.decode(curl.lines[2].partition("'")[2].rstrip("'"))["model"] == "flash"
    compile("\n".join(python.lines), "snippet", "exec")
    assert 'OpenAI(base_url="http://flash.llm.svc:8000/v1"' in python.lines[1]


def test_what_it_says_cannot_become_markup() -> None:
    told = smoked(Smoke("`kubectl delete` <!channel>\n\x1b[31m" + "x" * 999, (Pace(1, 0.1, 9.0),)))
    said = next(one for one in told.lines if one.startswith("Its first words"))
    assert not set("`\n\x1b") & set(said)
    assert len(said) < 400


def test_a_way_in_from_outside_is_named() -> None:
    plan = planned(a_cluster(gpu_node("g1")), "flash", name="flash", expose="ingress:flash.example.org")
    assert KIND.smoked is not None
    told = KIND.smoked(plan, followed(replica()), Smoke("Hi", (Pace(1, 0.1, 9.0),)))
    assert any("`flash.example.org`" in one for one in told.lines)


@pytest.mark.parametrize(
    "wrong", ["no tool call came although a tool was offered", "503: error trying to reach service", "it hung"]
)
def test_what_is_ready_and_does_not_answer_has_failed(wrong: str) -> None:
    told = smoked(Smoke("", wrong=wrong))
    assert told.phase is Phase.FAILED
    assert wrong in told.sentence
    assert told.subject == "deployment/llm/flash"
    assert told.lines[0].endswith("✗ first token")


def test_it_reads_what_it_needs() -> None:
    assert {"storageclasses", "namespaces", "persistentvolumeclaims", "nodes", "pods"} <= KIND.needs
