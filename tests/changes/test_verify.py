"""The one-off pod of a verification, and what is said of it."""

from datetime import timedelta
from typing import Any

import pytest

from bot.changes.kind import Phase, Progress
from bot.changes.kinds import gpu_verify
from bot.domain.change import Plan, Verb
from bot.domain.evidence import Evidence, LogRef
from bot.domain.node import Condition
from bot.domain.pod import ContainerState, Pod
from tests.changes.building import a_thing, a_whole_view, an_ask
from tests.factories import NOW, a_node, a_pod, a_taint


def verified(node: Any, *records: Any, **arguments: str) -> Plan:
    asked = {"node": "gpu-1", "pod": "gpu-verify-x", "namespace": "default", **arguments}
    return gpu_verify.plan(an_ask(a_whole_view(node, *records), **asked))


def test_the_pod_asks_for_one_gpu_on_one_node_and_leaves_the_choice_to_the_scheduler() -> None:
    plan = verified(a_node("gpu-1"))
    [step] = plan.steps
    spec = step.body["spec"]
    assert step.verb is Verb.CREATE
    assert "nodeName" not in spec
    [term] = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-1"]}]}
    assert spec["restartPolicy"] == "Never"
    assert spec["activeDeadlineSeconds"] == 300
    [container] = spec["containers"]
    assert container["command"][0] == "nvidia-smi"
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert step.body["metadata"]["labels"]["gpubot.dev/burn-in"] == "true", "it is not counted as somebody's use"


def test_it_is_removed_whatever_happens() -> None:
    [cleanup] = verified(a_node("gpu-1")).cleanup
    assert (cleanup.verb, cleanup.target.name) == (Verb.DELETE, "gpu-verify-x")


def test_it_tolerates_what_keeps_others_away() -> None:
    taints = (a_taint("dedicated=train:NoSchedule"), a_taint("node.kubernetes.io/unschedulable:NoSchedule"))
    plan = verified(a_node("gpu-1", unschedulable=True, taints=taints))
    assert plan.steps[0].body["spec"]["tolerations"] == [
        {"key": "dedicated", "operator": "Equal", "value": "train", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"},
    ]
    assert "dedicated=train:NoSchedule" in plan.effects[-1]


def test_the_runtime_class_is_used_where_there_is_one() -> None:
    with_class = a_thing("RuntimeClass", "nvidia", namespace="")
    assert verified(a_node("gpu-1"), with_class).steps[0].body["spec"]["runtimeClassName"] == "nvidia"
    assert "runtimeClassName" not in verified(a_node("gpu-1")).steps[0].body["spec"]


@pytest.mark.parametrize(
    ("node", "pods", "wanted"),
    [
        pytest.param(a_node("gpu-1", healthy=0), (), "Step 1 fails already", id="nothing allocatable"),
        pytest.param(
            a_node("gpu-1", conditions=(Condition("Ready", "Unknown"),)), (), "is not Ready", id="a silent kubelet"
        ),
        pytest.param(
            a_node("gpu-1"), (a_pod("glm-0", gpus=8),), "No GPU is free on gpu-1: llm/glm-0 (8)", id="all in use"
        ),
        pytest.param(a_node("gpu-1"), (a_pod("glm-0", gpus=7),), "", id="one is free"),
        pytest.param(a_node("gpu-1", healthy=7), (a_pod("glm-0", gpus=6),), "", id="one is lost, one is free"),
    ],
)
def test_when_it_would_tell_nothing(node: Any, pods: tuple[Any, ...], wanted: str) -> None:
    plan = verified(node, *pods)
    assert wanted in plan.refused
    assert bool(plan.refused) is bool(wanted)


def test_a_lost_gpu_is_told_beside_what_is_offered() -> None:
    assert "capacity 8, allocatable 7: 1 of them unhealthy" in verified(a_node("gpu-1", healthy=7)).effects[0]


def a_run(phase: str, **changed: Any) -> Pod:
    return Pod(name="gpu-verify-x", namespace="default", **({"node": "gpu-1", "phase": phase} | changed))


EXIT_9 = (ContainerState("nvidia-smi", exit_code=9, terminated="Error"),)
NO_IMAGE = (ContainerState("nvidia-smi", waiting="ImagePullBackOff"),)


@pytest.mark.parametrize(
    ("pod", "age", "phase", "wanted"),
    [
        pytest.param(None, 5, Phase.GOING, "not seen yet", id="a view that lags"),
        pytest.param(None, 60, Phase.FAILED, "gone before it could be seen to end", id="somebody removed it"),
        pytest.param(a_run("Pending", node=""), 5, Phase.GOING, "waits for its node", id="not placed"),
        pytest.param(a_run("Running"), 5, Phase.GOING, "starts", id="running"),
        pytest.param(a_run("Succeeded"), 5, Phase.DONE, "runs a pod with a GPU", id="it ran"),
        pytest.param(a_run("Failed", states=EXIT_9), 5, Phase.FAILED, "ended with 9 (Error)", id="nvidia-smi failed"),
        pytest.param(
            a_run("Failed", reason="UnexpectedAdmissionError"),
            5,
            Phase.FAILED,
            "UnexpectedAdmissionError",
            id="kubelet",
        ),
        pytest.param(a_run("Pending", states=NO_IMAGE), 400, Phase.FAILED, "ImagePullBackOff", id="no image in time"),
        pytest.param(
            a_run("Pending", node="", conditions=(Condition("PodScheduled", "False", message="0/9 nodes"),)),
            400,
            Phase.FAILED,
            "the scheduler says: “0/9 nodes”",
            id="never placed",
        ),
    ],
)
def test_how_it_went(pod: Pod | None, age: float, phase: Phase, wanted: str) -> None:
    view = a_whole_view(a_node("gpu-1"), *([pod] if pod else []))
    found = gpu_verify.follow(verified(a_node("gpu-1")), view, NOW + timedelta(seconds=age), NOW)
    assert found.phase is phase
    assert wanted in found.sentence


def test_three_steps_are_shown_with_what_was_written() -> None:
    view = a_whole_view(a_node("gpu-1"), a_run("Succeeded"))
    plan, log = verified(a_node("gpu-1")), LogRef("default", "gpu-verify-x", "nvidia-smi")
    evidence = Evidence(texts={log: "0, NVIDIA H200, `rm -rf`\n<!channel>\n"})
    found = gpu_verify.proof(plan, view, Progress(Phase.DONE, "It does."), evidence)
    assert gpu_verify.proof_wants(plan, view).refs == (log,)
    assert found.lines == (
        "1. gpu-1 offers `nvidia.com/gpu`: capacity 8, allocatable 8",
        "2. A pod with one GPU ran `nvidia-smi` there: it ended with 0",
        "0, NVIDIA H200, 'rm -rf'",
        "‹!channel>",
        "3. No taint stands in the way of any pod",
    )


def test_a_log_that_did_not_come_is_said_to_be_missing() -> None:
    view = a_whole_view(a_node("gpu-1"), a_run("Succeeded"))
    found = gpu_verify.proof(verified(a_node("gpu-1")), view, Progress(Phase.DONE, "It does."), Evidence())
    assert "its log could not be read" in found.lines
