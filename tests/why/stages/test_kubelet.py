"""Pods that their node's kubelet turned away or ended."""

from typing import Any

import pytest

from bot.domain.evidence import LogRef, NodeRef, ObjectRef
from bot.why.stages.kubelet import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_node_object,
    a_pod_object,
    an_event,
    an_object,
    at,
    ids,
    over,
    ready_status,
    running,
    the_one,
    told,
)

DEVICES = (
    "Pod was rejected: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. "
    "Requested: 4, Available: 1, which is unexpected"
)
LOW_DISK = (
    "The node was low on resource: ephemeral-storage. Threshold quantity: 10120387530, available: 9166736Ki. "
    "Container vllm was using 57900024Ki, request is 0, has larger consumption of ephemeral-storage. "
)
LOW_MEMORY = (
    "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. Container vllm was using 40Gi, "
    "request is 1Gi, has larger consumption of memory. "
)


def failed(reason: str, message: str = "", **more: Any) -> dict[str, Any]:
    status = {"reason": reason, "message": message} | more.pop("status", {})
    return a_pod_object("glm-0", a_container(gpus=4), phase="Failed", status=status, **more)


@pytest.mark.parametrize(
    ("reason", "message", "id_", "words"),
    [
        pytest.param(
            "UnexpectedAdmissionError", DEVICES, "kubelet.devices", ["1 of the 4 devices", "gpu-a"], id="devices"
        ),
        pytest.param(
            "UnexpectedAdmissionError",
            "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which "
            "is unexpected",
            "kubelet.unhealthy",
            ["unhealthy", "nvidia.com/gpu"],
            id="all devices left are unhealthy",
        ),
        pytest.param(
            "UnexpectedAdmissionError",
            "Allocate failed due to cannot allocate unregistered device amd.com/gpu, which is unexpected",
            "kubelet.unregistered",
            ["no device plugin has registered `amd.com/gpu`"],
            id="no plugin registered, another vendor",
        ),
        pytest.param(
            "UnexpectedAdmissionError",
            "Allocate failed due to rpc error: code = Unknown desc = invalid request: maximum request size for shared "
            "resources is 1; found 2, which is unexpected",
            "kubelet.shared-request",
            ["2 shares", "at most 1", "Ask for 1"],
            id="more than one share",
        ),
        pytest.param(
            "UnexpectedAdmissionError",
            "Update plugin resources failed due to failed to get nvlink state: GPU is lost, which is unexpected.",
            "kubelet.node-rejects-all",
            ["rejects every GPU pod", "kubectl cordon gpu-a"],
            id="a lost GPU fails every allocation, wrapped by an older release",
        ),
        pytest.param(
            "UnexpectedAdmissionError",
            "something new",
            "kubelet.plugin",
            ["could not hand out", "something new"],
            id="unknown text",
        ),
        pytest.param(
            "OutOfnvidia.com/gpu",
            "Node didn't have enough resource: nvidia.com/gpu, requested: 4, used: 6, capacity: 8",
            "kubelet.out-of-resource",
            ["too little nvidia.com/gpu", "4 asked for, 6 of 8 in use"],
            id="no room, with figures",
        ),
        pytest.param("OutOfcpu", "", "kubelet.out-of-resource", ["too little cpu"], id="no room, without a message"),
        pytest.param(
            "NodeAffinity", "Predicate NodeAffinity failed: x", "kubelet.predicate", ["NodeAffinity"], id="rule"
        ),
        pytest.param(
            "NodeShutdown",
            "Pod was rejected as the node is shutting down.",
            "kubelet.shutdown",
            ["shutting"],
            id="shutdown",
        ),
        pytest.param(
            "Preempting",
            "Preempted in order to admit critical pod",
            "kubelet.preempted",
            ["system-critical"],
            id="critical",
        ),
        pytest.param(
            "DeadlineExceeded", "Pod was active too long", "kubelet.deadline", ["activeDeadlineSeconds"], id="deadline"
        ),
        pytest.param(
            "PodOSNotSupported",
            "what is this",
            "kubelet.failed",
            ["PodOSNotSupported", "what is this"],
            id="others are quoted",
        ),
        pytest.param(
            "Evicted", LOW_MEMORY, "kubelet.evicted-memory", ["short of memory", "`vllm` used 40 GiB"], id="memory"
        ),
        pytest.param(
            "Evicted",
            'Usage of EmptyDir volume "cache" exceeds the limit "20Gi". ',
            "kubelet.evicted-limit",
            ["emptyDir volume `cache`", "20 GiB", "the node's disk", "Raise the sizeLimit"],
            id="its own limit",
        ),
        pytest.param(
            "Evicted",
            "The node had condition: [DiskPressure]. ",
            "kubelet.evicted-condition",
            ["DiskPressure"],
            id="condition",
        ),
        pytest.param("Evicted", "", "kubelet.evicted-condition", ["evicted it"], id="evicted without a message"),
    ],
)
def test_what_a_kubelet_says_is_explained(reason: str, message: str, id_: str, words: list[str]) -> None:
    text = told(the_one(STAGE, a_case(failed(reason, message), a_node_object()), id_))
    for word in words:
        assert word in text


def test_an_eviction_for_disk_says_who_used_what_and_that_the_mounted_volume_is_not_used() -> None:
    pod = failed(
        "Evicted",
        LOW_DISK,
        spec={
            "containers": [a_container(volumeMounts=[{"name": "data", "mountPath": "/data"}])],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        },
    )
    text = told(the_one(STAGE, a_case(pod, logs={"vllm": "df: /data 1% used"}), "kubelet.evicted-ephemeral-storage"))
    assert "8.7 GiB left" in text
    assert "had written 55.2 GiB" in text
    assert "requests no ephemeral-storage" in text
    assert "`/data` is not used for the download" in text
    assert "HF_HOME=/data" in text
    assert "an emptyDir helps only" not in text


def test_a_cache_that_lies_on_the_volume_is_not_called_unused() -> None:
    pod = failed(
        "Evicted",
        LOW_DISK,
        spec={
            "containers": [
                a_container(
                    env=[{"name": "HF_HOME", "value": "/data/hf"}], volumeMounts=[{"name": "d", "mountPath": "/data"}]
                )
            ],
            "volumes": [{"name": "d", "hostPath": {"path": "/mnt"}}],
        },
    )
    assert "not used" not in told(the_one(STAGE, a_case(pod), "kubelet.evicted-ephemeral-storage"))


def test_a_memory_volume_could_not_hold_a_model_and_is_not_proposed() -> None:
    pod = failed(
        "Evicted",
        LOW_DISK,
        spec={
            "containers": [a_container(volumeMounts=[{"name": "m", "mountPath": "/fast"}])],
            "volumes": [{"name": "m", "emptyDir": {"medium": "Memory"}}],
        },
    )
    text = told(the_one(STAGE, a_case(pod), "kubelet.evicted-ephemeral-storage"))
    assert "/fast" not in text
    assert "Give `vllm` a volume for its model cache" in text


def test_short_memory_is_met_with_a_request_and_not_with_disk() -> None:
    text = told(the_one(STAGE, a_case(failed("Evicted", LOW_MEMORY)), "kubelet.evicted-memory"))
    assert "Set the memory request" in text
    assert "ephemeral-storage" not in text


def test_finished_work_is_called_done_whatever_its_status_says() -> None:
    pod = failed("UnexpectedAdmissionError", DEVICES, owner=("Job", "eval"), statuses=[over(0, "Completed")])
    job = an_object("Job", "eval", "batch/v1", spec={}, status={"conditions": [{"type": "Complete", "status": "True"}]})
    start = an_event("Starting", "Starting kubelet.", about="gpu-a", kind="Node", ago=18)
    text = told(the_one(STAGE, a_case(pod, job, start, a_node_object()), "kubelet.work-was-done"))
    for word in ("nothing is lost", "exited with code 0", "job llm/eval is complete", "restarted at 11:42", "v1.33.5"):
        assert word in text
    assert "kubectl -n llm delete pod glm-0" in text


def test_without_the_event_a_kubelet_restart_is_only_likely() -> None:
    pod = failed("OutOfcpu", "", statuses=[over(0, "Completed")])
    assert "most likely" in the_one(STAGE, a_case(pod), "kubelet.work-was-done").sentence


def test_work_that_failed_is_not_called_done() -> None:
    pod = failed("UnexpectedAdmissionError", DEVICES, statuses=[over(1)])
    assert ids(STAGE, a_case(pod)) == ["kubelet.devices"]


def numa(node: int, *, busy: bool = False) -> dict[str, Any]:
    return {"numaNodeId": node, "computeRunningProcesses": [{"pid": 1}] if busy else []}


def test_topology_names_the_policy_and_how_the_free_gpus_are_split() -> None:
    agent = [numa(0, busy=True), *[numa(0)] * 3, numa(1, busy=True), *[numa(1)] * 3]
    config = an_object("ConfigMap", "kubelet-config", data={"kubelet": "a: b\ntopologyManagerPolicy: restricted\n"})
    config["metadata"]["namespace"] = "kube-system"
    other = a_pod_object("small-0", a_container(gpus=1), statuses=[running(ready=True)])
    pod = failed("TopologyAffinityError", "Pod was rejected: Resources cannot be allocated with Topology locality")
    finding = the_one(STAGE, a_case(pod, config, other, agent=agent), "kubelet.topology")
    assert "policy `restricted`" in finding.sentence
    assert "no NUMA node has 4 free GPUs" in finding.sentence
    assert "3 of 4 free on NUMA node 0, 3 of 4 free on NUMA node 1" in finding.sentence
    assert "llm/small-0 1" in told(finding)
    assert "Retrying does not help" in told(finding)
    assert not finding.unknown


@pytest.mark.parametrize("agent", [None, "[", '{"gpus": 3}', '[{"numaNodeId": "x"}]', "[1, 2]"], ids=str)
def test_topology_without_a_reading_says_what_is_not_known(agent: str | None) -> None:
    pod = failed("TopologyAffinityError", "Resources cannot be allocated with Topology locality")
    finding = the_one(STAGE, a_case(pod, agent=agent), "kubelet.topology")
    assert "4 free GPUs on one NUMA node" in finding.sentence
    assert len(finding.unknown) == 2


def test_pods_of_the_same_owner_that_were_rejected_alike_are_counted() -> None:
    pods = [failed("UnexpectedAdmissionError", DEVICES, owner=("ReplicaSet", "emb")) for _ in range(3)]
    for number, pod in enumerate(pods):
        pod["metadata"]["name"] = f"emb-{number}"
    text = told(the_one(STAGE, a_case(*pods), "kubelet.devices"))
    assert "3 pods of replicaset llm/emb were rejected like this on gpu-a" in text


def test_a_pod_without_an_owner_is_not_replaced() -> None:
    assert "it has no owner" in told(the_one(STAGE, a_case(failed("OutOfpods")), "kubelet.out-of-resource"))


def test_a_disruption_that_left_no_reason_is_found_in_its_condition() -> None:
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "PreemptionByScheduler",
        "lastTransitionTime": at(5),
    }
    pod = failed("", status={"conditions": [target | {"message": "preempted by llm/big-0"}]})
    finding = the_one(STAGE, a_case(pod), "kubelet.preempted")
    assert "a pod with a higher priority at 11:55" in finding.sentence
    assert "“preempted by llm/big-0”" in told(finding)


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_pod_object(statuses=[running(ready=True)]), id="a pod that runs"),
        pytest.param(a_pod_object(phase="Pending", node=""), id="a pod that waits"),
        pytest.param(a_pod_object(phase="Succeeded", statuses=[over(0)]), id="a pod that is done"),
        pytest.param(a_pod_object(phase="Failed", statuses=[over(1)]), id="a pod whose own program failed"),
    ],
)
def test_nothing_is_said_of_others(pod: dict[str, Any]) -> None:
    assert ids(STAGE, a_case(pod)) == []


@pytest.mark.parametrize(
    "status",
    [
        pytest.param({"message": 7, "conditions": {"a": 1}, "containerStatuses": "x"}, id="fields of other types"),
        pytest.param({"message": "`rm -rf` <!channel> \u202e" + "x" * 9000}, id="a hostile message"),
    ],
)
def test_hostile_objects_change_nothing(status: dict[str, Any]) -> None:
    case = a_case(failed("UnexpectedAdmissionError"), whole=False)
    case.__dict__["detail"] = type(case.detail)({"status": status, "spec": {"containers": 3}}, "Pod", case.odd)
    finding = the_one(STAGE, case, "kubelet.plugin")
    assert len(told(finding)) < 2500
    assert "<!channel>" not in told(finding)
    assert "`rm" not in told(finding)


def test_the_node_agent_is_asked_for_topology_and_the_log_for_an_eviction() -> None:
    assert STAGE.wants(a_case(failed("TopologyAffinityError"))).refs == (
        NodeRef("agent", "gpu-a"),
        ObjectRef("ConfigMap", "kube-system", "kubelet-config"),
    )
    evicted = a_case(failed("Evicted", LOW_DISK, statuses=[over(137)]), whole=False)
    assert STAGE.wants(evicted).refs == (LogRef("llm", "glm-0", "vllm"),)
    assert not STAGE.wants(a_case(failed("OutOfcpu")))


def test_a_memory_volume_over_its_limit_is_memory() -> None:
    pod = failed("Evicted", 'Usage of EmptyDir volume "dshm" exceeds the limit "2Gi". ')
    pod["spec"]["volumes"] = [{"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}]
    text = told(the_one(STAGE, a_case(pod), "kubelet.evicted-limit"))
    assert "`dshm`, which lies in memory, passed its sizeLimit of 2 GiB" in text
    assert "memory limit with it" in text
    assert "nothing to do with memory" not in text


def test_a_pod_that_wrote_next_to_nothing_did_not_fill_the_disk() -> None:
    message = LOW_DISK.replace("57900024Ki", "300Ki")
    text = told(the_one(STAGE, a_case(failed("Evicted", message)), "kubelet.evicted-ephemeral-storage"))
    assert "had written only 300 KiB itself, so something else filled that disk" in text
    assert "HF_HOME" not in text
    assert "of more than" not in text


def test_of_several_users_the_largest_is_named_whatever_its_unit() -> None:
    message = LOW_DISK + "Container log was using 99999Ki, request is 0, has larger consumption of ephemeral-storage. "
    message = message.replace("57900024Ki", "57Gi")
    assert (
        "`vllm` had written 57 GiB"
        in the_one(STAGE, a_case(failed("Evicted", message)), "kubelet.evicted-ephemeral-storage").sentence
    )


def test_a_reboot_shortly_before_is_told() -> None:
    boot = an_event("Rebooted", "Node gpu-a has been rebooted", about="gpu-a", kind="Node", ago=31)
    text = told(the_one(STAGE, a_case(failed("UnexpectedAdmissionError", DEVICES), boot), "kubelet.devices"))
    assert "gpu-a was rebooted 1 min before" in text
    long_ago = an_event("Rebooted", "Node gpu-a has been rebooted", about="gpu-a", kind="Node", ago=300)
    text = told(the_one(STAGE, a_case(failed("UnexpectedAdmissionError", DEVICES), long_ago), "kubelet.devices"))
    assert "rebooted" not in text


def a_node_that(status: str, minutes: float = 10_000) -> dict[str, Any]:
    node = a_node_object(age=minutes)
    node["status"]["conditions"] = [
        {"type": "Ready", "status": status, "reason": "R", "message": "m", "lastTransitionTime": at(10)}
    ]
    return node


def test_a_node_that_is_silent_holds_up_a_pod_that_has_begun_nothing() -> None:
    pod = a_pod_object(phase="Pending", owner=("ReplicaSet", "glm"))
    finding = the_one(STAGE, a_case(pod, a_node_that("Unknown")), "kubelet.node-silent")
    assert "its node gpu-a does not answer any more" in finding.sentence
    assert "since 11:50" in finding.sentence
    assert "kubectl -n llm delete pod glm-0" in told(finding)


def test_a_node_that_is_silent_takes_ready_away() -> None:
    pod = a_pod_object(statuses=[running(ready=True)])
    finding = the_one(STAGE, a_case(pod, a_node_that("Unknown")), "kubelet.node-silent")
    assert "count as not ready" in finding.sentence
    assert "delete pod" not in told(finding)


def test_a_new_node_that_is_not_ready_yet_only_takes_time() -> None:
    finding = the_one(STAGE, a_case(a_pod_object(phase="Pending"), a_node_that("False", 3)), "kubelet.node-not-ready")
    assert finding.until
    assert not finding.remedies


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([a_pod_object(phase="Pending"), a_node_that("True")], id="the node is ready"),
        pytest.param([a_pod_object(phase="Pending")], id="the node is not known"),
        pytest.param(
            [a_pod_object(statuses=[running(ready=True)], status=ready_status()), a_node_that("Unknown")], id="Ready"
        ),
    ],
)
def test_nothing_is_said_of_nodes_that_are_not_in_the_way(objects: list[dict[str, Any]]) -> None:
    assert ids(STAGE, a_case(*objects)) == []
