"""The placement stage as a whole: numbers that add up, who holds, what was not read, what the scheduler says otherwise."""

import re
from typing import Any

import pytest

from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec, Toleration, Volume
from bot.domain.selectors import NodeTerm
from bot.why.finding import Finding, Level
from bot.why.stages.placement import STAGE
from tests.factories import a_cpu_node, a_node, a_pod, a_taint, owned_by
from tests.why.builders_fleet import a_holder, a_waiting, a_zonal_claim, case_of_pod, h200s, scheduler_said
from tests.why.builders_owners import ago

H200 = PodSpec(node_selector={"nvidia.com/gpu.product": "NVIDIA-H200"})
OTHERS = [*(a_cpu_node(f"cpu-{index}") for index in range(30)), *(a_node(f"a10-{index}", product="NVIDIA-A10") for index in range(4))]  # fmt: skip
CONTROL = a_taint("node-role.kubernetes.io/control-plane:NoSchedule")
TRAIN = (a_taint("dedicated=train:NoSchedule"),)


def found(pod: Pod, *records: Any, unread: tuple[str, ...] = ()) -> list[Finding]:
    return list(STAGE.judge(case_of_pod(pod, *records, unread=unread)))


def the_one(pod: Pod, *records: Any, unread: tuple[str, ...] = ()) -> Finding:
    return found(pod, *records, unread=unread)[0]


def lines(finding: Finding, title: str) -> list[str]:
    return [line for group in finding.groups if group.title.startswith(title) for line in group.lines]


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_pod("glm-0"), id="has a node"),
        pytest.param(a_waiting(phase="Succeeded"), id="is done"),
        pytest.param(a_waiting(gated=True), id="is held by a gate"),
        pytest.param(a_waiting(deleted=ago(minutes=1)), id="is going"),
    ],
)
def test_nothing_is_said_of_a_pod_that(pod: Pod) -> None:
    assert found(pod, *h200s(0)) == []


def test_groups_of_nodes_add_up() -> None:
    fleet = [
        *h200s(2, 2, 1, 1, 1, 0, 0, 0, 0),
        a_node("gpu-10", unschedulable=True),
        a_node("gpu-11", taints=TRAIN),
        a_node("gpu-12", taints=TRAIN),
        a_holder("eval-12", "gpu-12", 8),
    ]
    told = the_one(a_waiting(spec=H200), *fleet, *OTHERS)
    assert [group.title for group in told.groups] == ["Where it could run (12 H200 nodes)", "Who holds gpu-1 and gpu-2"]
    assert lines(told, "Where") == [
        "9 nodes: too few GPUs free: 2, 2, 1, 1, 1, 0, 0, 0, 0 (gpu-1, gpu-2 and 7 more)",
        "1 node: cordoned, 8 GPUs free (gpu-10)",
        "1 node: taint `dedicated=train:NoSchedule` is not tolerated, 8 GPUs free (gpu-11)",
        "1 node: taint `dedicated=train:NoSchedule` is not tolerated and no GPUs free (gpu-12)",
        "Not counted: 4 A10 and 30 CPU nodes without `nvidia.com/gpu.product=NVIDIA-H200`",
    ]
    possible = sum(int(re.match(r"\d+", line)[0]) for line in lines(told, "Where")[:-1])  # type: ignore[index]
    assert possible == 12
    assert possible + 4 + 30 == 46


NEVER = [
    ([a_cpu_node()], "1 CPU node", "a node without GPUs"),
    ([a_cpu_node(), a_cpu_node("cpu-2")], "2 CPU nodes", "two of them"),
    ([a_cpu_node(taints=(CONTROL,))], "1 control-plane node", "a control plane"),
    (
        [a_node("mig-1", allocatable={"nvidia.com/mig-1g.10gb": 7}, capacity={"nvidia.com/mig-1g.10gb": 7})],
        "",
        "a node that says it has GPUs is one that could",
    ),
    (
        [a_cpu_node("amd-1", allocatable={"amd.com/gpu": 8}, capacity={"amd.com/gpu": 8})],
        "1 GPU node that offers `amd.com/gpu` instead",
        "a node of another vendor",
    ),
]


@pytest.mark.parametrize(("nodes", "line"), [pytest.param(*row[:2], id=row[2]) for row in NEVER])
def test_nodes_that_nobody_would_think_of_are_counted_apart(nodes: list[Any], line: str) -> None:
    told = the_one(a_waiting(), *h200s(0), *nodes)
    never = [one.removeprefix("Not counted: ") for one in lines(told, "Where") if one.startswith("Not counted")]
    assert never == ([line] if line else [])


def test_more_groups_than_are_shown_are_counted() -> None:
    nodes = [a_node(f"gpu-{index}", taints=(a_taint(f"team-{index}:NoSchedule"),)) for index in range(9)]
    told = lines(the_one(a_waiting(), *nodes), "Where")
    assert told[-1] == "3 nodes: other reasons"
    assert len(told) == 7


@pytest.mark.parametrize(
    ("records", "line"),
    [
        pytest.param(
            h200s(8, 8, unschedulable=True), "2 nodes: cordoned, 8 GPUs free on each (gpu-1 and gpu-2)", id="alike"
        ),
        pytest.param(h200s(8, 3, unschedulable=True), "1 node: cordoned, 8 GPUs free (gpu-1)", id="not alike"),
        pytest.param(
            [a_node(f"gpu-{index}", unschedulable=True) for index in range(1, 6)],
            "5 nodes: cordoned, 8 GPUs free on each (gpu-1, gpu-2 and 3 more)",
            id="many",
        ),
    ],
)
def test_what_is_free_behind_a_blocker_is_told(records: list[Any], line: str) -> None:
    assert line in lines(the_one(a_waiting(), *records, *h200s(0, first=8)), "Where")


def test_holders_are_those_first_whose_end_costs_least() -> None:
    held = [
        a_holder("high", "gpu-1", 1, priority=100),
        a_holder("same", "gpu-1", 1, priority=50),
        a_holder("low", "gpu-1", 1, priority=10),
        a_holder("spare", "gpu-1", 1, labels={"preemptible": "true"}),
        a_holder("burn", "gpu-1", 1, labels={"burn-in": "true"}),
        a_holder("going", "gpu-1", 1, deleted=ago(minutes=1)),
    ]
    told = lines(the_one(a_waiting(gpus=4, priority=50), a_node("gpu-1"), *held), "Who holds")
    assert told == [
        "train/going: 1 GPU on gpu-1, priority 0, 3 h, terminating",
        "train/burn: 1 GPU on gpu-1, priority 0, 3 h, burn-in",
        "train/spare: 1 GPU on gpu-1, priority 0, 3 h, may be ended for others",
        "train/low: 1 GPU on gpu-1, priority 10, 3 h",
        "and 2 more: `/gpu status --by owner`",
    ]


def test_pods_of_one_owner_are_one_holder() -> None:
    owner = owned_by("Job", "sweep")
    held = [a_pod(f"sweep-{index}", node="gpu-1", gpus=2, namespace="train", owner=owner) for index in range(4)]
    told = lines(the_one(a_waiting(), a_node("gpu-1"), *held), "Who holds")
    assert told == ["train/sweep: 8 GPUs on gpu-1, 4 pods, priority 0"]


def test_a_pod_that_fits_is_said_to_fit() -> None:
    told = the_one(a_waiting(), *h200s(8, 0))
    assert (told.id, told.sentence) == ("placement.fits", "by our own reading it fits on gpu-1 now")
    assert "All filters pass on 1 node" in told.evidence[0]
    assert "within 5 min" in told.until


def test_a_pod_that_was_made_a_moment_ago_is_just_new() -> None:
    told = the_one(a_waiting(created=ago(seconds=5)), *h200s(8))
    assert told.sentence == "by our own reading it fits on gpu-1 now, and it was made a moment ago"
    assert told.until == ""


@pytest.mark.parametrize(
    ("unread", "records", "id_"),
    [
        pytest.param(("nodes",), h200s(8), "placement.unknown", id="nodes"),
        pytest.param(("pods",), h200s(8), "placement.unknown", id="pods, though all looks free"),
        pytest.param(("nodes", "pods"), h200s(0), "placement.unknown", id="both"),
        pytest.param(("pods",), h200s(8, unschedulable=True), "cordon", id="pods, where something else is in the way"),
    ],
)
def test_what_was_not_read_is_unknown_and_never_fits(unread: tuple[str, ...], records: list[Any], id_: str) -> None:
    told = the_one(a_waiting(), *records, unread=unread)
    assert told.id == id_
    assert "fits" not in told.sentence
    assert [line.split(":")[0] for line in told.unknown] == list(unread)
    assert all("needs `list " in line for line in told.unknown)


def test_kinds_that_this_pod_hangs_on_are_named_where_they_were_not_read() -> None:
    pod = a_waiting(volumes=(Volume("data", "weights"),))
    told = the_one(pod, *h200s(0), *a_zonal_claim("zone-a"), unread=("storageclasses", "resourceclaims"))
    assert [line.split(":")[0] for line in told.unknown] == ["storageclasses"]


def test_a_claim_that_is_not_there_is_left_to_who_tells_of_references() -> None:
    pod = a_waiting(volumes=(Volume("data", "nowhere"),))
    assert found(pod, *h200s(8)) == []
    told = the_one(pod, *h200s(8), unread=("persistentvolumeclaims",))
    assert told.id.startswith("before-nodes.")
    assert told.groups == ()


def test_node_affinity_that_matches_nothing_is_told() -> None:
    told = the_one(a_waiting(spec=PodSpec(node_terms=())), *h200s(8))
    assert told.level is Level.CAUSE
    assert told.sentence


def test_preemption_is_worth_waiting_for() -> None:
    pod = a_waiting(priority=1000)
    low = a_holder("low", "gpu-1", 8, priority=-5)
    assert the_one(pod, a_node("gpu-1"), low).until.startswith("the scheduler has evicted train/low on gpu-1 for it")
    nominated = a_waiting(priority=1000, nominated="gpu-1")
    assert "pods of lower priority on gpu-1 have been evicted" in the_one(nominated, a_node("gpu-1"), low).until


def scheduled(message: str) -> Pod:
    return a_waiting(conditions=(Condition("PodScheduled", "False", "Unschedulable", message),))


AGREES = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."  # fmt: skip
OTHERWISE = [
    (AGREES, None, "the same numbers"),
    (
        "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
        "it counted 3 nodes, there are 2 now",
        "another number of nodes",
    ),
    (
        "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint(s).",
        "NodeResourcesFit turned down 1 node there, 2 by our reading; TaintToleration turned down 1 node there, 0 by our reading",
        "other filters",
    ),
    ("some other scheduler's words", None, "words that cannot be compared"),
    ("", None, "no words"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "says"), [pytest.param(*row[:2], id=row[2]) for row in OTHERWISE])
def test_where_the_scheduler_says_otherwise_that_is_told(message: str, says: str | None) -> None:
    pod = scheduled(message)
    notes = [
        one for one in found(pod, *h200s(0, 0), scheduler_said(pod, message, minutes=10)) if one.level is Level.NOTE
    ]
    assert [one.id for one in notes] == (["placement.disagrees"] if says else [])
    if says:
        assert says in notes[0].sentence
        assert "10 min ago" in notes[0].sentence
        assert "Perhaps the cluster has changed since" in notes[0].sentence


def test_a_difference_that_is_fresh_has_another_reason() -> None:
    pod = scheduled("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")
    told = found(pod, *h200s(0, 0), scheduler_said(pod, "x", minutes=0.1))[-1]
    assert "another profile, an extender or a feature gate" in told.sentence


def test_usual_tolerations_leave_the_node_in_question() -> None:
    pod = a_waiting(spec=PodSpec(tolerations=(Toleration("nvidia.com/gpu", "Exists"),)))
    told = the_one(pod, *h200s(0, taints=(a_taint("nvidia.com/gpu=present:NoSchedule"),)))
    assert told.id == "resources.used-up"


def test_a_term_without_a_condition_does_not_break_it() -> None:
    assert the_one(a_waiting(spec=PodSpec(node_terms=(NodeTerm(),))), *h200s(8)).sentence
