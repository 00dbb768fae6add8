"""Scheduling gates: whose they are, and gates that nobody will lift."""

import pytest

from bot.domain.node import Condition
from bot.domain.pod import ContainerState, Pod
from bot.domain.pod_spec import PodSpec
from bot.why.case import Case
from bot.why.finding import Level
from bot.why.stages.gates import STAGE
from tests.factories import a_pod
from tests.why.builders_queues import (
    GATED,
    GPU,
    a_cluster_queue,
    a_group_pod,
    a_local_queue,
    a_waiting,
    a_workload,
    an_lws,
    asked,
    found,
    queues_view,
    told,
)

ADMISSION = "kueue.x-k8s.io/admission"


def gated(*gates: str, **changed: object) -> Pod:
    return a_waiting(condition=GATED, gated=True, spec=PodSpec(gates=gates), **changed)


def surge_case(index: int, *, workload: bool = False, unread: tuple[str, ...] = ()) -> Case:
    """Group `index` of a set with four replicas and two extra ones during its update."""
    rolling = {"rollingUpdateConfiguration": {"maxSurge": 2, "maxUnavailable": 2}}
    lws = an_lws("glm", 4, rolloutStrategy=rolling)
    labels = {"kueue.x-k8s.io/pod-group-name": f"lws-glm-{index}", "kueue.x-k8s.io/queue-name": "main"}
    pod = a_group_pod(
        index, 0, lws="glm", gpus=4, labels=labels, condition=GATED, gated=True, spec=PodSpec(gates=(ADMISSION,))
    )
    mine = [a_workload(f"lws-glm-{index}")] if workload else []
    view = queues_view(lws, pod, a_local_queue(), a_cluster_queue(nominal=48, used=32), *mine, unread=unread)
    return asked(view, pod)


def test_an_extra_group_without_a_workload_is_named_as_such_and_quota_is_cleared() -> None:
    text = told(STAGE, surge_case(4))
    for word in (
        "gates.surge-without-workload CAUSE",
        "no Workload for this group",
        "groups 0 to 3",
        "maxSurge 2",
        "quota is free: 16 of 48 GPUs",
        '"maxSurge":0',
        "upgrade Kueue",
        "quota is not the reason",
    ):
        assert word in text


def test_a_configured_group_without_a_workload_is_another_matter() -> None:
    text = told(STAGE, surge_case(2))
    assert text.startswith("gates.no-workload CAUSE")
    assert "maxSurge" not in text


def test_without_workloads_read_nothing_is_claimed_of_them() -> None:
    (only,) = found(STAGE, surge_case(4, unread=("workloads",)))
    assert only.id == "gates.kueue"
    assert any("list workloads" in one for one in only.unknown)


@pytest.mark.parametrize(
    ("gates", "words"),
    [
        pytest.param(
            ("example.com/network-ready",),
            ["gates.foreign CAUSE", "`example.com/network-ready`", "grep -i example"],
            id="one",
        ),
        pytest.param(("example.com/a", "b"), ["`example.com/a` and `b`", "lifts them", "2 gates"], id="several"),
    ],
)
def test_a_foreign_gate_is_named_with_its_domain(gates: tuple[str, ...], words: list[str]) -> None:
    pod = gated(*gates)
    text = told(STAGE, asked(queues_view(pod), pod))
    for word in words:
        assert word in text


def test_the_controller_of_a_foreign_gate_is_looked_for_by_its_name() -> None:
    pod = gated("example.com/network-ready")
    view = queues_view(pod, a_pod("example-operator-1", gpus=0, namespace="net"))
    assert "`net/example-operator-1`" in told(STAGE, asked(view, pod))


def test_a_gate_that_is_left_after_admission() -> None:
    pod = gated("kueue.x-k8s.io/topology", labels={"kueue.x-k8s.io/pod-group-name": "job-g-1"})
    text = told(STAGE, asked(queues_view(pod, a_workload("g", admitted=True)), pod))
    assert "gates.left-over CAUSE" in text
    assert "rack or node" in text


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_waiting(), id="a waiting pod without gates"),
        pytest.param(a_pod(), id="a pod that runs"),
        pytest.param(
            gated(ADMISSION, labels={"kueue.x-k8s.io/pod-group-name": "job-g-1"}), id="one that waits in line"
        ),
    ],
)
def test_nothing_to_say(pod: Pod) -> None:
    view = queues_view(pod, a_workload("g", message=f"insufficient unused quota for {GPU} in flavor a, 1 more needed"))
    assert not found(STAGE, asked(view, pod))


def test_all_findings_are_causes() -> None:
    assert {one.level for one in found(STAGE, surge_case(5))} == {Level.CAUSE}


def test_the_controller_that_ails_is_named_with_what_ails_it() -> None:
    pod = gated("approval.example.org/release", "fabric.example.io/ready")
    bad = ContainerState("c", waiting="CrashLoopBackOff", restarts=31)
    controller = a_pod("fabric-controller-0", conditions=(Condition("Ready", "False"),), states=(bad,))
    well = a_pod("fabric-agent-0")
    text = told(STAGE, asked(queues_view(pod, well, controller), pod))
    assert "`llm/fabric-controller-0`, which is not well: CrashLoopBackOff, 31 restarts" in text
    assert "kubectl -n llm describe pod fabric-controller-0" in text
    assert "`llm/fabric-agent-0`)" in text
