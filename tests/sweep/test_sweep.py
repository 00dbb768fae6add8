"""What fires, what only waits, and what belongs to one root."""

from typing import Any

import pytest

from bot.checks.finding import Severity
from bot.domain.node import Condition, Node
from bot.domain.pod import Container, ContainerState, Pod
from tests.checks.building import agent, gpu
from tests.factories import READY, a_node, a_pod, a_taint, owned_by
from tests.sweep.building import OLD, a_cluster_of, ids, looked_up, swept, under
from tests.why.builders_owners import a_deployment, a_quota, a_replicaset, a_thing, ago, refused

UNSCHEDULABLE = Condition("PodScheduled", "False", "Unschedulable", since=ago(minutes=40))
FORBIDDEN = 'pods "x" is forbidden: exceeded quota: gpu, requested: requests.nvidia.com/gpu=1, used: '
FORBIDDEN += "requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8"
NVML = "Failed to initialize NVML: Unknown Error\n" * 3


def old_node(name: str = "gpu-1", **changed: Any) -> Node:
    return a_node(name, **({"created": OLD, "conditions": (READY,)} | changed))


def waiting(name: str = "glm-0", *, minutes: float = 40, gpus: int = 8, **changed: Any) -> Pod:
    return a_pod(name, node="", gpus=gpus, created=ago(minutes=minutes), conditions=(UNSCHEDULABLE,), **changed)


def failed(name: str, owner: Any = None, **changed: Any) -> Pod:
    state = ContainerState("main", terminated="Error", exit_code=1)
    defaults = {
        "phase": "Failed",
        "states": (state,),
        "containers": (Container("main"),),
        "created": ago(hours=1),
        "started": ago(hours=1),
    }
    if owner is not None:
        defaults["owner"] = owned_by(owner.kind, owner.name, owner.uid)
    return a_pod(name, **(defaults | changed))


def a_job(name: str = "train", **status: Any) -> Any:
    return a_thing("Job", name, spec={"parallelism": 1, "completions": 1}, status=status)


JOB_DONE = a_job(conditions=[{"type": "Complete", "status": "True"}], succeeded=1)
JOB_TRIES = a_job(active=1)
JOB_FAILED = a_job(
    conditions=[
        {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "lastTransitionTime": ago(hours=1)}
    ]
)


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([old_node(), a_pod("glm-0")], id="a pod that runs"),
        pytest.param([old_node(), waiting(minutes=0.5)], id="a pod that was made half a minute ago"),
        pytest.param([old_node(), failed("train-1", JOB_DONE), JOB_DONE], id="a failed try of a Job that completed"),
        pytest.param(
            [old_node(), failed("train-1", JOB_TRIES), JOB_TRIES], id="a failed try of a Job that tries again"
        ),
        pytest.param([old_node(), failed("once", started=ago(days=3))], id="the record of a pod that failed days ago"),
        pytest.param(
            [old_node(), a_pod("glm-0", conditions=(Condition("Ready", "False"),), deleted=ago(minutes=-1))],
            id="a pod inside its grace period",
        ),
        pytest.param([old_node(), a_deployment(replicas=0)], id="a Deployment that is scaled to zero on purpose"),
        pytest.param(
            [old_node(), a_thing("Job", "nightly", spec={"suspend": True, "parallelism": 1})],
            id="a Job that somebody suspended",
        ),
    ],
)
def test_nothing_fires(records: list[Any]) -> None:
    found = swept(a_cluster_of(*records))
    assert (ids(found), found.told) == ([], True)


@pytest.mark.parametrize(
    ("records", "told"),
    [
        pytest.param([old_node(), waiting(gpus=16)], ["resources.too-large"], id="a pod that fits nowhere"),
        pytest.param([old_node(), failed("train-1", JOB_FAILED), JOB_FAILED], ["crash.exit"], id="a Job that was given up"),
        pytest.param([old_node(), failed("once")], ["crash.exit"], id="a pod of nobody that failed an hour ago"),
        pytest.param([old_node(conditions=(Condition("Ready", "Unknown", since=ago(hours=1)),))], ["node.not_ready"],
                     id="a node that does not answer"),
        pytest.param([old_node(healthy=7)], ["plugin.unhealthy"], id="a GPU that the plugin took out"),
    ],
)  # fmt: skip
def test_it_fires(records: list[Any], told: list[str]) -> None:
    assert ids(swept(a_cluster_of(*records))) == told


def test_pods_of_one_owner_are_one_entry_with_their_number() -> None:
    owner = a_thing("StatefulSet", "glm", spec={"replicas": 3}, status={"replicas": 3})
    mine = owned_by("StatefulSet", "glm", owner.uid)
    found = swept(
        a_cluster_of(old_node(), owner, *(waiting(f"glm-{index}", gpus=16, owner=mine) for index in range(3)))
    )
    assert [(entry.root.owner, len(entry.pods)) for entry in found.entries] == [("llm/glm", 3)]
    assert "2 more pods of it alike" in found.entries[0].root.sentence
    assert found.entries[0].effect[0] == "hits llm/glm (3 pods, 48 GPUs)"


def test_a_fault_of_a_node_stands_above_the_pods_that_wait_for_it() -> None:
    found = swept(a_cluster_of(old_node(healthy=7), waiting("glm-0"), waiting("asr-0", namespace="speech")))
    assert ids(found) == ["plugin.unhealthy"]
    assert under(found.entries[0]) == ["llm/glm-0", "speech/asr-0"]
    assert [pod.key for pod in found.entries[0].pods] == ["llm/glm-0", "speech/asr-0"]


CRASHED = {
    "a memory error that could not be corrected": ("RuntimeError: CUDA error: uncorrectable ECC error encountered", 1),
    "an argument that is wrong": ("ValueError: Total number of attention heads (64) must be divisible by 6.", 2),
}


@pytest.mark.parametrize(("text", "entries"), CRASHED.values(), ids=CRASHED)
def test_a_pod_that_crashes_of_a_bad_card_is_under_that_card_and_no_other_crash_is(text: str, entries: int) -> None:
    state = ContainerState("main", waiting="CrashLoopBackOff", restarts=6, exit_code=1)
    pod = a_pod("glm-0", node="gpu-1", gpus=8, states=(state,), containers=(Container("main"),))
    found = swept(a_cluster_of(old_node(healthy=7), pod), looked_up(logs={pod: text}))
    assert len(found.entries) == entries
    assert "plugin.unhealthy" in ids(found)
    assert (found.entries[0].root.id == "plugin.unhealthy" and bool(found.entries[0].under)) is (entries == 1)


def test_a_quota_stands_above_all_owners_that_it_stops() -> None:
    records: list[Any] = [old_node(), a_quota({"requests.nvidia.com/gpu": "8"}, {"requests.nvidia.com/gpu": "8"})]
    for name in ("chat", "embed"):
        deployment = a_deployment(name, replicas=1)
        replicaset = a_replicaset(deployment, f"{name}-1", replicas=1)
        records += [deployment, replicaset, refused(replicaset, FORBIDDEN)]
    found = swept(a_cluster_of(*records))
    assert ids(found) == ["admission.quota"]
    assert "which cannot make their pods" in " ".join(found.entries[0].effect)
    assert {one.owner for one in found.entries[0].every} == {"llm/chat", "llm/embed"}


def test_the_same_fault_of_many_nodes_is_one_entry() -> None:
    nodes = [old_node(f"gpu-{index}", healthy=0) for index in range(1, 6)]
    found = swept(a_cluster_of(*nodes))
    assert len(found.entries) == 1
    assert found.entries[0].nodes == tuple(node.name for node in nodes)
    assert "the same on gpu-2, gpu-3, gpu-4, gpu-5" in found.entries[0].root.sentence.replace(" and ", ", ")


def test_two_bad_gpus_of_a_node_are_two_entries() -> None:
    broken = {"remappedRows": {"failureOccurred": 1}}
    told = agent([gpu(0, **broken), gpu(1), gpu(2, **broken)])
    found = swept(a_cluster_of(old_node(gpus=3)), looked_up(agents={"gpu-1": told}))
    assert ids(found) == ["memory.remap_failed", "memory.remap_failed"]


def test_a_ready_pod_whose_log_says_that_it_lost_its_gpu_fires_once() -> None:
    pod = a_pod(containers=(Container("vllm", "engine:v1"),), states=(ContainerState("vllm", ready=True),))
    found = swept(a_cluster_of(old_node(), pod), looked_up(logs={pod: NVML}))
    assert ids(found) == ["engine.gpu-access-lost"]
    assert [one.id for one in found.entries[0].under] == ["pods.lost_access"]


def test_a_pod_that_should_be_gone_fires() -> None:
    stuck = a_pod("old-0", deleted=ago(hours=2), created=ago(days=2))
    assert swept(a_cluster_of(old_node(), stuck)).entries[0].root.id.startswith("terminating.")


def unexplained(minutes: float) -> Pod:
    """Not Ready, with containers that all say that they are."""
    state = ContainerState("main", ready=True)
    return a_pod(
        gpus=0,
        states=(state,),
        containers=(Container("main"),),
        conditions=(Condition("Ready", "False", since=ago(minutes=minutes)),),
    )


def test_what_is_not_ready_for_long_fires_although_nothing_is_found() -> None:
    assert ids(swept(a_cluster_of(old_node(), unexplained(2)))) == []
    found = swept(a_cluster_of(old_node(), unexplained(30)))
    assert [(one.root.id, one.severity) for one in found.entries] == [("unknown", Severity.WARNING)]
    assert "nothing that gpubot can see is wrong with it" in found.entries[0].root.sentence


def test_a_wait_says_until_when() -> None:
    young = a_node("gpu-1", healthy=0, created=ago(minutes=2), capacity={"pods": 110}, allocatable={"pods": 110})
    found = swept(a_cluster_of(young))
    assert ids(found) == []
    assert "came up 2 min ago" in found.waits[0].how


def test_an_old_driver_is_told_and_does_not_fire() -> None:
    node = old_node(more_labels={"nvidia.com/cuda.driver-version.full": "550.144.03"})
    found = swept(a_cluster_of(node))
    assert (ids(found), [one.root.id for one in found.lasting]) == ([], ["driver.support"])


def test_the_worst_comes_first() -> None:
    records = [
        old_node(),
        waiting("small", gpus=0, spec=a_pod().spec, requests={"cpu": 10**9}),
        waiting("big", gpus=64),
    ]
    served = a_pod("small-1", owner=owned_by("StatefulSet", "small"))
    found = swept(a_cluster_of(*records, served))
    assert found.entries[0].root.owner == "llm/big"
    assert found.entries[0].severity is Severity.CRITICAL


@pytest.mark.parametrize("kind", ["nodes", "pods"])
def test_quiet_without_nodes_or_pods_says_nothing(kind: str) -> None:
    found = swept(a_cluster_of(old_node(), unread=(kind,)))
    assert (found.entries, found.told) == ((), False)
    assert any(kind in text for text in found.unseen)


def test_what_was_not_read_is_said() -> None:
    found = swept(a_cluster_of(old_node(), unread=("events",)))
    text = " ".join(found.unseen)
    assert "events" in text
    assert "the GPUs themselves on gpu-1: neither node agent nor DCGM exporter told" in text
    assert "kernel messages of gpu-1" in text


def test_odd_objects_do_not_break_it() -> None:
    odd = [a_thing(kind, spec=[1], status="x") for kind in ("Deployment", "StatefulSet", "DaemonSet", "Job", "Service")]
    found = swept(
        a_cluster_of(a_node(taints=(a_taint("a=b:NoSchedule"),), created="yesterday"), a_pod(created="?"), *odd)
    )
    assert found.told
