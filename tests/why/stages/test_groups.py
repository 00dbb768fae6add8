"""Groups are counted whole: leaders alone serve nothing."""

from typing import Any

import pytest

from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.node import Condition
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.thing import Thing
from bot.why.finding import Level
from bot.why.lws_groups import packed
from bot.why.stages.groups import STAGE
from tests.factories import a_node
from tests.why.builders_queues import (
    GATED,
    GPU,
    UNSCHEDULABLE,
    a_group_pod,
    a_thing,
    a_waiting,
    an_lws,
    asked,
    found,
    queues_view,
    told,
)

NODES = [a_node(f"gpu-{letter}", gpus=1) for letter in "abcd"]


def torn(**changed: Any) -> tuple[Thing, list[Pod], list[Pod]]:
    """Four leaders on four nodes of one GPU, four workers that wait."""
    leaders = [a_group_pod(index, 0, node=f"gpu-{'abcd'[index]}") for index in range(4)]
    workers = [a_group_pod(index, 1, **changed) for index in range(4)]
    return an_lws(), leaders, workers


def test_leaders_that_hold_everything_are_no_complete_group_and_two_would_fit() -> None:
    lws, leaders, workers = torn()
    view = queues_view(lws, *leaders, *workers, *NODES)
    text = told(STAGE, asked(view, workers[0]))
    for word in (
        "groups.torn CAUSE",
        "0 of 4 groups of `lws/llm/vllm` are complete",
        "4 leaders hold 4 GPUs",
        "2 complete groups would fit",
        "--replicas=2",
        "3: unfinished, 1 of 2 placed (gpu-d)",
    ):
        assert word in text


def test_the_set_itself_and_its_leader_get_the_same_answer() -> None:
    lws, leaders, workers = torn()
    view = queues_view(lws, *leaders, *workers, *NODES)
    for about in (lws, leaders[0]):
        (only,) = found(STAGE, asked(view, about))
        assert only.numbers == {"groups": 4, "complete": 0, "fit": 2}


def test_groups_that_are_complete_are_counted_and_no_more_would_fit() -> None:
    whole = [a_group_pod(0, worker, node="gpu-a") for worker in (0, 1)]
    half = [a_group_pod(1, 0, node="gpu-b"), a_group_pod(1, 1)]
    view = queues_view(an_lws(replicas=2), *whole, *half, a_node("gpu-a", gpus=2), a_node("gpu-b", gpus=1))
    text = told(STAGE, asked(view, half[1]))
    assert "1 of 2 groups of `lws/llm/vllm` is complete: 1 leader holds 1 GPU" in text
    assert "no further group would fit" in text
    assert "the unfinished groups free what they hold" in text


def test_who_asks_about_a_group_that_serves_is_not_told_about_others() -> None:
    whole = [a_group_pod(0, worker, node="gpu-a") for worker in (0, 1)]
    half = [a_group_pod(1, 0, node="gpu-b"), a_group_pod(1, 1)]
    view = queues_view(an_lws(replicas=2), *whole, *half, a_node("gpu-a", gpus=2), a_node("gpu-b", gpus=1))
    assert not found(STAGE, asked(view, whole[0]))


def test_leaders_without_gpus_hold_none() -> None:
    leader, worker = a_group_pod(0, 0, node="gpu-a", gpus=0), a_group_pod(0, 1)
    (only,) = found(STAGE, asked(queues_view(an_lws(replicas=1), leader, worker, *NODES), worker))
    assert "1 leader have a node" not in only.sentence
    assert "1 leader has a node" in only.sentence


def test_unknown_nodes_leave_the_number_that_would_fit_unknown() -> None:
    lws, leaders, workers = torn()
    (only,) = found(STAGE, asked(queues_view(lws, *leaders, *workers, *NODES, unread=("nodes",)), workers[0]))
    assert only.numbers["fit"] is None
    assert any("list nodes" in one for one in only.unknown)


def test_workers_that_are_made_after_their_leader_are_a_note() -> None:
    leader = a_group_pod(0, 0, node="gpu-a", conditions=(Condition("Ready", "False"),))
    lws = an_lws(replicas=1, startupPolicy="LeaderReady")
    (only,) = found(STAGE, asked(queues_view(lws, leader, *NODES), leader))
    assert (only.id, only.level, only.until) == ("groups.workers-later", Level.NOTE, "vllm-0 is ready")


@pytest.mark.parametrize(
    ("pods", "about"),
    [
        pytest.param([a_group_pod(0, worker, node="gpu-a") for worker in (0, 1)], 0, id="a complete group"),
        pytest.param([a_group_pod(0, worker) for worker in (0, 1)], 1, id="no pod of it has a node"),
        pytest.param(
            [a_group_pod(0, 0, node="gpu-a"), a_group_pod(0, 1, condition=GATED, gated=True)], 1, id="the rest is gated"
        ),
    ],
)
def test_nothing_to_say_of_a_set(pods: list[Pod], about: int) -> None:
    assert not found(STAGE, asked(queues_view(an_lws(replicas=1), *pods, *NODES), pods[about]))


@pytest.mark.parametrize("shape", [7, "x", [1], {"replicas": "many", "leaderWorkerTemplate": "x"}, None])
def test_any_shape_of_a_set_is_survived(shape: object) -> None:
    _, leaders, workers = torn()
    lws = a_thing("LeaderWorkerSet", "vllm", spec=shape, status=shape)
    assert isinstance(found(STAGE, asked(queues_view(lws, *leaders, *workers, *NODES), workers[0])), list)


@pytest.mark.parametrize(
    ("free", "group", "most", "fit"),
    [
        pytest.param({"a": {GPU: 8, "pods": 9}}, [{GPU: 4}, {GPU: 4}], 9, 1, id="one group on one node"),
        pytest.param(
            {"a": {GPU: 3, "pods": 9}, "b": {GPU: 5, "pods": 9}}, [{GPU: 4}, {GPU: 4}], 9, 0, id="sums deceive"
        ),
        pytest.param({"a": {GPU: 8, "pods": 9}}, [{GPU: 1}], 5, 5, id="never more than asked for"),
        pytest.param({"a": {GPU: 8, "pods": 1}}, [{GPU: 1}], 5, 1, id="pods count too"),
        pytest.param({}, [{GPU: 1}], 5, 0, id="no node"),
    ],
)
def test_whole_groups_are_packed(free: Any, group: Any, most: int, fit: int) -> None:
    assert packed(free, group, most) == fit


COSCHEDULED = {"scheduling.x-k8s.io/pod-group": "g"}
REJECTED = Condition(
    "PodScheduled", "False", "Unschedulable", "PodGroup llm/g gets rejected due to Pod b is unschedulable"
)


def a_pod_group(least: int) -> Thing:
    return a_thing("PodGroup", "g", spec={"minMember": least}, api_version="scheduling.x-k8s.io/v1alpha1")


def test_a_pod_group_with_too_few_members() -> None:
    pod = a_waiting(labels=COSCHEDULED)
    text = told(STAGE, asked(queues_view(pod, a_pod_group(3)), pod))
    assert "groups.too-few-members CAUSE" in text
    assert "needs 3 pods and has 1" in text


def test_a_pod_group_that_does_not_exist() -> None:
    pod = a_waiting(labels=COSCHEDULED)
    assert told(STAGE, asked(queues_view(pod), pod)).startswith("groups.no-pod-group CAUSE")
    assert not found(STAGE, asked(queues_view(pod, unread=("coschedulinggroups",)), pod))


PERMIT = Condition("PodScheduled", "False", "Unschedulable", "rejected due to timeout at plugin Coscheduling")


@pytest.mark.parametrize("told_so", [pytest.param(REJECTED, id="by the group"), pytest.param(PERMIT, id="in permit")])
def test_another_member_without_a_node_is_the_cause_where_nodes_are_not_known(told_so: Condition) -> None:
    pods = [a_waiting(name, labels=COSCHEDULED, condition=told_so) for name in ("glm-0", "a")]
    other = a_waiting("b", gpus=8, labels=COSCHEDULED, condition=UNSCHEDULABLE)
    (only,) = found(STAGE, asked(queues_view(*pods, other, a_pod_group(3), unread=("nodes",)), pods[0]))
    assert (only.id, only.level) == ("groups.culprit", Level.CAUSE)
    assert "`b`" in only.sentence


def test_a_pod_group_without_room_for_all_is_told_of_the_node_that_is_closed() -> None:
    pods = [a_waiting(name, gpus=8, labels=COSCHEDULED, condition=PERMIT) for name in ("a", "b")]
    nodes = [a_node("gpu-1", gpus=8), a_node("gpu-2", gpus=8, unschedulable=True)]
    (only,) = found(STAGE, asked(queues_view(*pods, a_pod_group(2), *nodes), pods[0]))
    assert (only.id, only.level) == ("groups.no-room", Level.CAUSE)
    assert "needs 2 pods placed at once, and there is room for 1: gpu-2 has room and is closed to `b`" in only.sentence
    assert [one.command for one in only.remedies] == ["kubectl uncordon gpu-2"]


def test_a_pod_group_with_room_for_all_is_not_said_to_lack_any() -> None:
    pods = [a_waiting(name, gpus=8, labels=COSCHEDULED) for name in ("a", "b")]
    nodes = [a_node(f"gpu-{number}", gpus=8) for number in (1, 2)]
    assert not found(STAGE, asked(queues_view(*pods, a_pod_group(2), *nodes), pods[0]))


def test_a_group_whose_worker_waits_for_a_cordoned_node_is_not_given_up_first() -> None:
    leader, worker = a_group_pod(0, 0, node="gpu-1", gpus=8), a_group_pod(0, 1, gpus=8)
    nodes = [a_node("gpu-1", gpus=8), a_node("gpu-2", gpus=8, unschedulable=True)]
    view = queues_view(an_lws(replicas=1, gpus=8), leader, worker, *nodes)
    torn_, closed = found(STAGE, asked(view, worker))
    assert torn_.id == "groups.torn"
    assert torn_.useless == ()  # a node more would make the one group whole
    assert (closed.id, closed.level) == ("groups.closed-nodes", Level.ROOT)
    assert closed.sentence.startswith("gpu-2 has room and is closed to `vllm-0-1` (cordoned")
    assert closed.remedies[0].command == "kubectl uncordon gpu-2"


def native(spec: dict[str, Any], **changed: Any) -> str:
    pod = a_waiting(owner=Owner("Job", "j", "uid-j"), **changed)
    evidence = Evidence({ObjectRef("Pod", "llm", "glm-0"): Fields({"spec": spec})})
    return told(STAGE, asked(queues_view(pod), pod, evidence))


SHORT_GANG = "minCount (4) cannot be satisfied: 1 scheduled, 2 remaining; pod group preemption: none"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            native(
                {"schedulingGroup": {"podGroupName": "g"}},
                condition=Condition("PodScheduled", "False", "Unschedulable", SHORT_GANG),
            ),
            ["groups.gang CAUSE", "gang `g` needs 4 pods placed at once; 1 have a place"],
            id="no room for all of them",
        ),
        pytest.param(
            native({"workloadRef": {"name": "w"}}, conditions=()),
            ["groups.gang-not-tried CAUSE", "gang `w`", "1 pod of its controller exists", "does not read this kind"],
            id="the scheduler is silent",
        ),
        pytest.param(
            native({"schedulingGroup": {"podGroupName": "g"}}),
            ["groups.gang NOTE", "Insufficient"],
            id="told otherwise",
        ),
    ],
)
def test_kube_schedulers_own_gangs(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


UNSCHEDULED = Condition(
    "PodScheduled", "False", "Unschedulable", "0/4 nodes are available: pod group is unschedulable."
)


def test_a_native_gang_without_room_for_all_is_no_riddle_of_a_plugin() -> None:
    text = native({"schedulingGroup": {"podGroupName": "g"}}, condition=UNSCHEDULED)
    assert "groups.gang CAUSE" in text
    assert "the scheduler finds no room for all of it" in text
    evicting = Condition("PodScheduled", "False", "Unschedulable", "pod group is waiting for preemption to complete")
    assert "those pods are gone" in native({"schedulingGroup": {"podGroupName": "g"}}, condition=evicting)


def test_a_native_gang_is_told_of_the_node_that_is_closed() -> None:
    owner = Owner("Job", "j", "uid-j")
    pods = [a_waiting(name, gpus=8, owner=owner, condition=UNSCHEDULED) for name in ("a", "b")]
    spec = Fields({"spec": {"schedulingGroup": {"podGroupName": "g"}}})
    nodes = [a_node("gpu-1", gpus=8), a_node("gpu-2", gpus=8, unschedulable=True)]
    text = told(STAGE, asked(queues_view(*pods, *nodes), pods[0], Evidence({ObjectRef("Pod", "llm", "a"): spec})))
    assert "groups.no-room ROOT" in text
    assert "room for 1: gpu-2 has room and is closed to `b`" in text


def of_message(message: str, **changed: Any) -> str:
    pod = a_waiting(condition=Condition("PodScheduled", "False", "Unschedulable", message), **changed)
    return told(STAGE, asked(queues_view(pod, unread=("coschedulinggroups",)), pod))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            of_message(
                "cannot find enough sibling pods, current pods number: 3, minMember of group: 4", labels=COSCHEDULED
            ),
            ["groups.too-few-members CAUSE", "needs 4 pods and has 3"],
            id="too few siblings, by the message alone",
        ),
        pytest.param(
            of_message("Pod llm/glm-0 is rejected in PreFilter because ElasticQuota team is more than Max"),
            ["groups.elastic-quota CAUSE", "ElasticQuota `team` of llm has no room left under its max"],
            id="the namespace's elastic quota",
        ),
        pytest.param(
            of_message("Pod llm/glm-0 is rejected in PreFilter because total ElasticQuota used is more than min"),
            ["the ElasticQuotas of all namespaces together"],
            id="all elastic quotas together",
        ),
    ],
)
def test_what_plugins_say(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


def test_a_pod_without_a_gang_is_in_none() -> None:
    assert not native({})


def test_a_jobset_in_order_names_the_job_that_holds_up_the_others() -> None:
    jobs = [{"name": "driver", "replicas": 1}, {"name": "workers", "replicas": 2}]
    spec = {"startupPolicy": {"startupPolicyOrder": "InOrder"}, "replicatedJobs": jobs}
    jobset = a_thing("JobSet", "set", spec=spec, status={"replicatedJobsStatus": [{"name": "driver", "ready": 0}]})
    text = told(STAGE, asked(queues_view(jobset), jobset))
    assert "groups.jobset-order ROOT" in text
    assert "`driver` has 0 of 1 ready: `workers` is made after that" in text
