"""How queues, workloads and node claims stand, and what waits without a pod."""

from typing import Any

import pytest

from bot.domain.record import Owner
from bot.domain.thing import Thing
from bot.gpu.owners import top_owner
from bot.why.podless import in_line
from bot.why.standing import stands
from bot.why.subject import find
from tests.factories import a_pod
from tests.why.builders_queues import (
    VOLCANO,
    a_cluster_queue,
    a_group_pod,
    a_job,
    a_local_queue,
    a_thing,
    a_waiting,
    a_workload,
    ago,
    asked,
    queues_view,
)


def standing(thing: Thing, *others: Any) -> tuple[str, bool]:
    found = stands(asked(queues_view(thing, *others), thing))
    return found.words, found.well


def a_claim(initialized: str, node: str = "") -> Thing:
    status = {"nodeName": node, "conditions": [{"type": "Initialized", "status": initialized}]}
    return a_thing("NodeClaim", "gpu-x", "", status=status, created=ago(minutes=3))


OVER = {"conditions": [{"type": "Finished", "status": "True"}]}
RUNS = a_pod("tune-0", owner=Owner("Job", "tune", "uid-Job-llm-tune"))


@pytest.mark.parametrize(
    ("stands_", "words", "well"),
    [
        pytest.param(standing(a_workload("x", created=ago(hours=2))), "waits 2 h", False, id="in line"),
        pytest.param(standing(a_workload("x", status=OVER)), "has finished", True, id="done"),
        pytest.param(standing(a_workload("x", spec={"active": False})), "is switched off", False, id="off"),
        pytest.param(
            standing(a_workload("tune", admitted=True), RUNS), "was let in, 1 of 1 pod ready", True, id="let in"
        ),
        pytest.param(
            standing(a_workload("tune", admitted=True)), "was let in, 0 of 0 pods ready", False, id="without a pod"
        ),
        pytest.param(
            standing(a_cluster_queue(used=8), a_local_queue(), a_workload("x"), a_workload("y", 8, admitted=True)),
            "has 1 workload in line and 1 let in, 8 of 8 GPUs reserved",
            True,
            id="a full queue is well",
        ),
        pytest.param(
            standing(a_cluster_queue(conditions=({"type": "Active", "status": "False"},))),
            "is closed and has 0 workloads in line and 0 let in, 0 of 8 GPUs reserved",
            False,
            id="a closed queue",
        ),
        pytest.param(
            standing(a_local_queue(), a_workload("x")), "has 1 workload in line and 0 let in", True, id="a LocalQueue"
        ),
        pytest.param(standing(a_claim("True", "gpu-1")), "is in use as node gpu-1", True, id="a claim in use"),
        pytest.param(standing(a_claim("Unknown")), "waits 3 min for its node", False, id="a claim to come"),
    ],
)
def test_stands(stands_: tuple[str, bool], words: str, well: bool) -> None:
    assert stands_ == (words, well)


def of_kind(kind: str, name: str = "tune") -> Thing:
    """A Workload of a job of a kind that is not read."""
    made = a_workload(name)
    fields = {name_: getattr(made, name_) for name_ in made.__struct_fields__}
    return type(made)(**(fields | {"owner": Owner(kind, name, "uid-other")}))


def a_jobset() -> Thing:
    return a_thing("JobSet", "tune", uid="uid-other")


def a_pod_group(phase: str) -> Thing:
    return a_thing("PodGroup", "pg", spec={"queue": "q"}, status={"phase": phase}, api_version=VOLCANO)


@pytest.mark.parametrize(
    ("records", "names"),
    [
        pytest.param([of_kind("RayJob")], ["job-tune-1"], id="a job of a kind that is not read"),
        pytest.param([a_job("tune"), a_workload("tune")], [], id="a Job tells for itself"),
        pytest.param([a_workload("tune", admitted=True)], [], id="it was let in"),
        pytest.param([a_workload("tune", status=OVER)], [], id="it is done"),
        pytest.param(
            [of_kind("RayJob"), a_waiting("head", owner=Owner("RayJob", "tune", "uid-other"))], [], id="it has pods"
        ),
        pytest.param([of_kind("Pod")], [], id="a pod tells for itself"),
        pytest.param([of_kind("JobSet"), a_jobset()], ["tune"], id="the job itself where its kind is read"),
        pytest.param([a_pod_group("Pending")], ["pg"], id="a group that Volcano has not let in"),
        pytest.param([a_pod_group("Inqueue")], [], id="one that it has let in"),
    ],
)
def test_what_waits_without_a_pod(records: list[Any], names: list[str]) -> None:
    view = queues_view(*records)
    assert [one.name for one in in_line(view)] == names
    assert list(in_line(view, "elsewhere")) == []


def test_a_job_of_a_kind_that_is_not_read_is_found_by_its_name() -> None:
    (only,) = find(queues_view(of_kind("RayJob")), "tune")
    assert only.typed == "workload/llm/job-tune-1"


def test_all_pods_of_a_leader_worker_set_are_its_own() -> None:
    leader = a_group_pod(0, 0, node="gpu-1", owner=Owner("StatefulSet", "vllm", "uid-1"))
    worker = a_group_pod(0, 1, owner=Owner("StatefulSet", "vllm-0", "uid-2"))
    view = queues_view(leader, worker)
    assert {top_owner(view, pod) for pod in (leader, worker)} == {("LeaderWorkerSet", "vllm")}
