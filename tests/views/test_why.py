"""How `/why` looks, for every kind of answer: kept as people see it, as text and as Block Kit."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from bot.command import Cluster, Reply
from bot.domain.evidence import NO_EVIDENCE, Evidence, LogRef, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.domain.pod import Container, ContainerState
from bot.domain.pod_spec import PodSpec, Volume
from bot.domain.workload import PriorityClass
from bot.local.workspace.validation import check_message_blocks
from bot.views.blocks import render
from tests.factories import a_cpu_node, a_node, a_pod, a_taint
from tests.views.golden_files import matches
from tests.why.builders_fleet import GPU, ZONE, a_fleet, a_holder, a_waiting, a_zonal_claim, ask, h200s
from tests.why.builders_owners import a_deployment, a_member, a_quota, a_replicaset, a_thing, ago, ahead, refused
from tests.why.builders_started import a_container, a_pod_object, looping

H200 = PodSpec(node_selector={"nvidia.com/gpu.product": "NVIDIA-H200"})
TRAIN = (a_taint("dedicated=train:NoSchedule"),)
UPGRADING = {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}
NO_ROOM = "The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (79392)."  # fmt: skip


def fragmented() -> Cluster:
    """Twelve H200 nodes in pieces, an upgrade, a pool of another team; others that are never in question."""
    return a_fleet(
        a_waiting(spec=H200),
        *h200s(4, 3, 2, 1, 1, 0, 0, 0, 0),
        a_node("gpu-10", unschedulable=True, more_labels=UPGRADING),
        *h200s(8, 0, first=11, taints=TRAIN),
        *(a_cpu_node(f"cpu-{index}") for index in range(30)),
        *(a_node(f"a10-{index}", product="NVIDIA-A10") for index in range(4)),
        PriorityClass(name="high", value=1000),
    )


def cordoned() -> Cluster:
    return a_fleet(a_waiting(), *h200s(0), *h200s(8, 8, first=2, unschedulable=True, cordoned_by="kubectl-cordon"))


def tainted() -> Cluster:
    deployment = a_deployment()
    new = a_replicaset(deployment)
    pod = a_member(new, "glm-new-abcde", node="", requests={GPU: 8}, created=ago(minutes=50))
    return a_fleet(deployment, new, pod, *h200s(8, 8, 3, taints=TRAIN))


def selecting() -> Cluster:
    pod = a_waiting(spec=PodSpec(node_selector={"pool": "h20"}))
    return a_fleet(pod, *h200s(8, 8, more_labels={"pool": "h200"}))


def zonal() -> Cluster:
    pod = a_waiting(gpus=1, volumes=(Volume("data", "weights"),))
    free, full = h200s(1, more_labels={ZONE: "zone-a"}), h200s(0, first=2, more_labels={ZONE: "zone-b"})
    return a_fleet(pod, *a_zonal_claim("zone-b"), *free, *full)


def preempting() -> Cluster:
    low = a_holder("eval-1", "gpu-1", 8, priority=-5, preempted=True, deleted=ahead(seconds=20))
    return a_fleet(a_waiting(priority=1000, nominated="gpu-1"), a_node("gpu-1"), low)


def crashing() -> Cluster:
    pod = a_pod(
        gpus=8,
        created=ago(minutes=30),
        started=ago(minutes=30),
        containers=(Container("vllm", "vllm/vllm-openai:v0.24.0"),),
        states=(ContainerState("vllm", waiting="CrashLoopBackOff", restarts=5, exit_code=1),),
        conditions=(Condition("Ready", "False", since=ago(minutes=20)),),
    )
    return a_fleet(pod, a_node("gpu-1"))


def last_words() -> Evidence:
    pod = a_pod_object("glm-0", a_container(gpus=8), statuses=[looping(1)])
    log = f"INFO loading weights took 91 s\nValueError: {NO_ROOM}\n"
    refs = ObjectRef("Pod", "llm", "glm-0"), LogRef("llm", "glm-0", "vllm", previous=True)
    return Evidence({refs[0]: Fields(pod)}, {refs[1]: log})


def without_quota() -> list[Any]:
    deployment = a_deployment(replicas=9, status={"replicas": 8})
    new = a_replicaset(deployment, replicas=9, status={"replicas": 8})
    error = f'pods "x" is forbidden: exceeded quota: gpu, requested: requests.{GPU}=1, used: requests.{GPU}=8, limited: requests.{GPU}=8'  # fmt: skip
    eight = {f"requests.{GPU}": "8"}
    pods = [a_member(new, f"glm-new-{letter}") for letter in "abcdefgh"]
    return [deployment, new, *pods, refused(new, error), a_quota(eight, eight), a_node("gpu-1")]


def everything() -> Cluster:
    job = a_thing("Job", "sweep", "train", spec={"parallelism": 500})
    sweep = [a_member(job, f"sweep-{index}", node="", gpus=1, created=ago(hours=5)) for index in range(500)]
    stuck = a_pod(
        "web-0",
        node="gpu-2",
        gpus=0,
        phase="Pending",
        created=ago(minutes=40),
        states=(ContainerState("app", waiting="ImagePullBackOff"),),
    )
    return a_fleet(job, *sweep, a_waiting(), *without_quota(), stuck, *h200s(0, first=2))


def healthy() -> Cluster:
    return a_fleet(a_pod(gpus=8, created=ago(days=1), started=ago(days=1)), a_node("gpu-1"))


def unread() -> Cluster:
    """Pods are not all known, so nothing may be counted as free."""
    said = Condition(
        "PodScheduled", "False", "Unschedulable", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
    )
    return a_fleet(a_waiting(conditions=(said,)), *h200s(8), unread=("pods",))


def twins() -> Cluster:
    return a_fleet(a_waiting(), a_waiting(namespace="dev"), a_waiting("glm-1", namespace="dev"), *h200s(0))


CASES: list[tuple[str, Callable[[], Cluster], str]] = [
    ("fragmented", fragmented, "why pending glm-0"),
    ("fragmented_details", fragmented, "why glm-0 details"),
    ("cordon", cordoned, "why glm-0"),
    ("taint", tainted, "why glm"),
    ("selector", selecting, "why glm-0"),
    ("volume", zonal, "why glm-0"),
    ("preemption", preempting, "why glm-0"),
    ("crash", crashing, "why glm-0"),
    ("quota", lambda: a_fleet(*without_quota()), "why deployment/glm"),
    ("healthy", healthy, "why glm-0"),
    ("fits_now", lambda: a_fleet(a_waiting(created=ago(seconds=4)), *h200s(8)), "why glm-0"),
    ("pending", everything, "why pending"),
    ("pending_none", healthy, "why pending"),
    ("choice", twins, "why glm-0"),
    ("trial_yes", cordoned, "why glm-0 if uncordon gpu-2"),
    ("trial_no", fragmented, "why glm-0 if ends eval-4 and request 16 gpus"),
    ("fits_yes", fragmented, "why fits 2 gpus product=H200 count=4"),
    ("fits_no", fragmented, "why fits 8 gpus product=H200"),
    ("fits_some", fragmented, "why fits 4 gpus product=H200 count=3"),
    ("forbidden", unread, "why glm-0"),
    ("forbidden_pending", lambda: a_fleet(unread=("pods",)), "why pending"),
]


def reply_to(cluster: Callable[[], Cluster], line: str) -> Reply:
    return ask(line, cluster(), last_words() if cluster is crashing else NO_EVIDENCE)


@pytest.mark.parametrize(("name", "cluster", "line"), CASES, ids=[name for name, _, _ in CASES])
def test_looks_as_kept(name: str, cluster: Callable[[], Cluster], line: str) -> None:
    reply = reply_to(cluster, line)
    matches(f"why_{name}", reply.answer.text)
    assert len(reply.answer.text) <= 4_000
    check_message_blocks(render(reply.document).blocks)


@pytest.mark.parametrize(
    "name", ["fragmented_details", "crash", "pending", "choice", "trial_no", "fits_no", "forbidden"]
)
def test_blocks_look_as_kept(name: str) -> None:
    cluster, line = next((cluster, line) for known, cluster, line in CASES if known == name)
    matches(f"why_{name}_blocks", asdict(render(reply_to(cluster, line).document)))


@pytest.mark.parametrize(
    ("name", "label", "asks"),
    [("fragmented", "Details", ["why llm/glm-0 details"]), ("choice", "llm/glm-0", ["why llm/glm-0", "why dev/glm-0"])],
)
def test_a_button_asks_what_could_be_typed(name: str, label: str, asks: list[str]) -> None:
    cluster, line = next((cluster, line) for known, cluster, line in CASES if known == name)
    buttons = reply_to(cluster, line).document.buttons
    assert buttons[0].label == label
    assert [button.value for button in buttons] == asks
    for button in buttons:
        assert ask(button.value, cluster()).answer.text
