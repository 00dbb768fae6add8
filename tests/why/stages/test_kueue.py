"""Kueue: jobs in line, queues that let nothing in, quota that nobody uses."""

import pytest

from bot.domain.record import Owner
from bot.why.finding import Level
from bot.why.stages.kueue import STAGE
from tests.factories import a_node, a_pod
from tests.why.builders_owners import ahead
from tests.why.builders_queues import (
    GPU,
    KUEUE,
    UNSCHEDULABLE,
    a_cluster_queue,
    a_flavor,
    a_job,
    a_local_queue,
    a_thing,
    a_waiting,
    a_workload,
    ago,
    an_event,
    asked,
    found,
    queues_view,
    told,
)

SHORT = f"couldn't assign flavors to pod set main: insufficient unused quota for {GPU} in flavor default, 1 more needed"
INACTIVE = {"type": "Active", "status": "False", "reason": "FlavorNotFound", "message": "references missing ones"}


def of_job(
    *others: object, message: str = SHORT, gpus: int = 1, unread: tuple[str, ...] = (), **workload: object
) -> str:
    """Everything about the suspended job `train`."""
    job = a_job(gpus=gpus)
    mine = a_workload("train", gpus, message=message, **workload)
    return told(STAGE, asked(queues_view(job, mine, *others, unread=unread), job))


def refused(text: str) -> str:
    return of_job(
        a_local_queue(), a_cluster_queue(used=2), a_flavor(), message=f"couldn't assign flavors to pod set main: {text}"
    )


HOLDER = a_workload("tune", 8, admitted=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            of_job(a_local_queue(), a_cluster_queue(used=8), a_flavor(), HOLDER),
            [
                "kueue.quota CAUSE",
                "needs 1 GPU",
                "0 of 8 left",
                "llm/tune: 8, priority 0, 1 h",
                "llm/tune ends",
                "job-tune-1",
            ],
            id="all quota is in use, and the holder is named",
        ),
        pytest.param(
            of_job(a_local_queue(), a_cluster_queue(used=8), a_flavor(), HOLDER, message=""),
            ["kueue.quota CAUSE", "0 of 8 left"],
            id="without a message its own sums tell",
        ),
        pytest.param(
            of_job(a_local_queue(), a_cluster_queue(used=0, nominal=8), a_flavor(), gpus=16, message=""),
            ["kueue.too-big CAUSE", "asks for 16 GPUs", "at most 8", "Waiting does not help"],
            id="more than the queue can ever have",
        ),
        pytest.param(
            refused(f"insufficient quota for {GPU} in flavor default, request > maximum capacity (16 > 8)"),
            ["kueue.too-big CAUSE", "at most 8"],
            id="more than the maximum, as releases up to 0.14 say it",
        ),
        pytest.param(
            refused(
                f"insufficient quota for {GPU} in flavor default, previously considered podsets requests (8) + current "
                "podset request (16) > maximum capacity (8)"
            ),
            ["kueue.too-big CAUSE", "at most 8"],
            id="more than the maximum, as newer releases say it",
        ),
        pytest.param(
            refused("untolerated taint {spot true NoSchedule <nil>} in flavor default"),
            ["kueue.taint CAUSE", "{spot true NoSchedule <nil>}", "toleration"],
            id="a flavor's taint",
        ),
        pytest.param(
            refused("flavor default doesn't match node affinity"),
            ["kueue.affinity CAUSE", "`default`"],
            id="other labels",
        ),
        pytest.param(
            refused("resource amd.com/gpu unavailable in ClusterQueue"),
            ["kueue.not-covered CAUSE", "`amd.com/gpu`"],
            id="a resource that the queue has no quota for",
        ),
        pytest.param(
            refused(
                'topology "default" allows to fit only 2 out of 4 pod(s). Total nodes: 6; excluded: nodeSelector: 1'
            ),
            ["kueue.topology CAUSE", "only 2 out of 4", "excluded: nodeSelector: 1"],
            id="no place close together",
        ),
        pytest.param(
            of_job(
                a_local_queue(),
                a_cluster_queue(),
                a_flavor(),
                message="workload namespace doesn't match ClusterQueue selector",
            ),
            ["kueue.namespace CAUSE", "ClusterQueue `team-a` does not take workloads of namespace llm"],
            id="a namespace that the queue does not take",
        ),
        pytest.param(
            of_job(a_local_queue(), a_cluster_queue(), a_flavor(), message="words of a release to come"),
            ["kueue.not-admitted CAUSE", "“words of a release to come”"],
            id="an unknown text as it is",
        ),
        pytest.param(
            of_job(a_local_queue(), a_cluster_queue(flavor="h100", conditions=(INACTIVE,)), a_flavor("h100-80gb")),
            ["kueue.flavor-missing CAUSE", "`team-a`", "flavor `h100`, which does not exist", "`h100-80gb`"],
            id="a flavor that does not exist, with the nearest that does",
        ),
        pytest.param(
            of_job(
                a_local_queue(),
                a_cluster_queue(conditions=({**INACTIVE, "reason": "AdmissionCheckInactive"},)),
                a_flavor(),
            ),
            ["kueue.queue-inactive CAUSE", "AdmissionCheckInactive"],
            id="a queue that is inactive for another reason",
        ),
        pytest.param(
            of_job(a_local_queue(stopPolicy="Hold"), a_cluster_queue(), a_flavor()),
            ["kueue.queue-stopped CAUSE", "LocalQueue `llm/main`", '"stopPolicy":"None"'],
            id="a LocalQueue that somebody stopped",
        ),
        pytest.param(
            of_job(a_local_queue(), a_cluster_queue(stopPolicy="HoldAndDrain"), a_flavor()),
            ["kueue.queue-stopped CAUSE", "ClusterQueue `team-a`", "put back too"],
            id="a ClusterQueue that is drained",
        ),
        pytest.param(
            of_job(a_local_queue("mine"), a_cluster_queue(), a_flavor()),
            ["kueue.no-local-queue CAUSE", "queue `main`", "`mine`"],
            id="a LocalQueue that does not exist",
        ),
        pytest.param(
            of_job(a_local_queue(queue="team-b"), a_cluster_queue(), a_flavor()),
            ["kueue.no-cluster-queue CAUSE", "`team-b`", "(`team-a` does)"],
            id="a ClusterQueue that does not exist",
        ),
        pytest.param(
            of_job(a_local_queue(), a_cluster_queue(), spec={"active": False}),
            ["kueue.deactivated CAUSE", "switched off", '"active":true'],
            id="a Workload that was switched off",
        ),
        pytest.param(
            of_job(
                a_local_queue(), a_cluster_queue(), status={"requeueState": {"count": 2, "requeueAt": ahead(minutes=3)}}
            ),
            ["kueue.put-back CAUSE", "try 2", "in 3 min"],
            id="put back in line for a while",
        ),
        pytest.param(
            of_job(
                a_local_queue(),
                a_cluster_queue(used=8, queueingStrategy="StrictFIFO"),
                a_flavor(),
                a_workload("first", 8, spec={"priority": 9}),
            ),
            ["kueue.strict-order ALSO", "llm/first"],
            id="strict order behind a larger one",
        ),
    ],
)
def test_a_job_in_line(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


def test_quota_that_is_held_by_a_pod_that_fits_nowhere_is_the_root() -> None:
    job, big = a_job("tiny"), a_workload("big", 8, admitted=True)
    homeless = a_waiting("big-0", gpus=8, owner=Owner("Job", "big", "uid-Job-llm-big"))
    nodes = [a_node(f"gpu-{letter}") for letter in "abcd"]
    running = [a_pod(f"r-{letter}", node=f"gpu-{letter}", gpus=6) for letter in "abcd"]
    queues = (a_local_queue(), a_cluster_queue(nominal=32, used=32), a_flavor())
    view = queues_view(job, big, homeless, a_workload("tiny", message=SHORT), *nodes, *running, *queues)
    findings = {one.id: one for one in found(STAGE, asked(view, job))}
    root = findings["kueue.idle-quota"]
    assert root.level is Level.ROOT
    assert "`llm/big` holds 8 GPUs" in root.sentence
    assert "8 GPUs are free, at most 2 on one node (gpu-a)" in root.sentence
    assert "patch workloads.kueue.x-k8s.io job-big-1" in findings["kueue.quota"].remedies[0].command


def test_an_admitted_pod_that_fits_nowhere_gives_its_quota_back() -> None:
    big = a_workload("big", 8, admitted=True)
    pod = a_waiting("big-0", gpus=8, owner=Owner("Job", "big", "uid-Job-llm-big"))
    view = queues_view(big, pod, a_local_queue(), a_cluster_queue(used=8), a_node(), a_pod("other", gpus=6))
    text = told(STAGE, asked(view, pod))
    for word in (
        "kueue.quota-without-node ROOT",
        "holds 8 GPUs",
        "2 GPUs are free",
        '"active":false',
        "sum over nodes",
    ):
        assert word in text


def test_an_admitted_pod_for_which_a_node_is_free_is_not_blamed_on_quota() -> None:
    big = a_workload("big", 8, admitted=True)
    pod = a_waiting("big-0", gpus=8, owner=Owner("Job", "big", "uid-Job-llm-big"))
    view = queues_view(big, pod, a_local_queue(), a_cluster_queue(used=8), a_node())
    assert [(one.id, one.level) for one in found(STAGE, asked(view, pod))] == [("kueue.admitted", Level.NOTE)]


@pytest.mark.parametrize(
    ("check", "thing", "words"),
    [
        pytest.param(
            {"name": "prov", "state": "Pending", "message": "waiting for the cloud"},
            a_thing("AdmissionCheck", "prov", "", spec={"controllerName": "kueue.x-k8s.io/provisioning-request"}),
            ["`prov`, which says Pending", "waiting for the cloud", "provisioning-request"],
            id="a check that has not answered",
        ),
        pytest.param({"name": "prov", "state": "Pending"}, None, ["does not exist"], id="a check that does not exist"),
    ],
)
def test_admission_checks_keep_a_workload_with_quota(check: dict[str, str], thing: object, words: list[str]) -> None:
    job = a_job()
    conditions = [{"type": "QuotaReserved", "status": "True"}]
    mine = a_workload("train", status={"conditions": conditions, "admissionChecks": [check]})
    things = [thing] if thing else []
    text = told(STAGE, asked(queues_view(job, mine, a_local_queue(), a_cluster_queue(), *things), job))
    assert text.startswith("kueue.admission-check CAUSE")
    for word in words:
        assert word in text


def test_a_cohort_lends_what_it_does_not_use() -> None:
    job = a_job(gpus=12)
    queues = (a_cluster_queue(nominal=8, cohort="all"), a_cluster_queue("team-b", 8, 6, cohortName="all"))
    view = queues_view(job, a_workload("train", 12, message=""), a_local_queue(), *queues, a_flavor())
    text = told(STAGE, asked(view, job))
    assert "10 of 16 left" in text
    assert "at most 16 with borrowing in `all`" in text


def test_a_borrowing_limit_makes_it_too_big() -> None:
    job = a_job(gpus=12)
    mine = a_cluster_queue(nominal=8, cohort="all", limits={"borrowingLimit": "2"})
    view = queues_view(
        job,
        a_workload("train", 12, message=""),
        a_local_queue(),
        mine,
        a_cluster_queue("team-b", 8, cohort="all"),
        a_flavor(),
    )
    assert "can have at most 10" in told(STAGE, asked(view, job))


def test_a_pod_group_is_admitted_only_when_all_its_pods_exist() -> None:
    labels = {"kueue.x-k8s.io/pod-group-name": "g", "kueue.x-k8s.io/queue-name": "main"}
    pod = a_waiting("g-0", labels=labels, gated=True)
    event = an_event(pod, "ErrWorkloadCompose", "'g' group has fewer runnable pods than expected")
    view = queues_view(pod, event, a_local_queue(), a_cluster_queue())
    text = told(STAGE, asked(view, pod))
    assert "kueue.group-incomplete CAUSE" in text
    assert "fewer runnable pods" in text


def test_a_suspended_job_without_a_workload_is_told_apart_from_one_without_a_queue() -> None:
    named, unnamed = a_job(), a_job("plain", queue="")
    view = queues_view(named, unnamed, a_local_queue(), a_cluster_queue())
    assert told(STAGE, asked(view, named)).startswith("kueue.no-workload CAUSE")
    assert told(STAGE, asked(view, unnamed)).startswith("kueue.no-queue-name ROOT")


def test_queues_themselves_can_be_asked_about() -> None:
    queue = a_cluster_queue(flavor="gone", conditions=(INACTIVE,))
    local = a_local_queue()
    view = queues_view(queue, local)
    assert "kueue.flavor-missing CAUSE" in told(STAGE, asked(view, queue))
    assert "kueue.flavor-missing CAUSE" in told(STAGE, asked(view, local))


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((a_job(suspend=False), a_workload("train", admitted=True)), id="an admitted job"),
        pytest.param(
            (a_job(), a_workload("train", status={"conditions": [{"type": "Finished", "status": "True"}]})),
            id="a finished one",
        ),
        pytest.param((a_job(queue=""),), id="a suspended job where there are no queues"),
    ],
)
def test_nothing_to_say(records: tuple[object, ...]) -> None:
    assert not found(STAGE, asked(queues_view(*records), records[0]))  # type: ignore[arg-type]


def test_kinds_that_were_not_read_are_unknown_not_absent() -> None:
    job = a_job()
    view = queues_view(job, unread=("workloads", "localqueues", "clusterqueues"))
    (only,) = found(STAGE, asked(view, job))
    assert only.level is Level.NOTE
    assert any("list workloads" in one for one in only.unknown)


@pytest.mark.parametrize(
    "shape", [7, "x", ["x"], {"podSets": "x"}, {"podSets": [{"count": "many", "template": 3}]}, None]
)
def test_any_shape_is_survived(shape: object) -> None:
    job = a_job()
    odd = a_thing("Workload", "job-train-1", spec=shape, status=shape, owner=job, api_version=KUEUE)
    queue = a_thing("ClusterQueue", "team-a", "", spec=shape, status={"flavorsReservation": shape, "conditions": shape})
    case = asked(queues_view(job, odd, queue, a_local_queue(), a_node(conditions=(UNSCHEDULABLE,))), job)
    assert all(one.sentence for one in found(STAGE, case))


def test_the_place_in_line_goes_by_priority_then_age() -> None:
    job = a_job()
    ahead_, behind = a_workload("a", spec={"priority": 5}), a_workload("b", created=ago(minutes=1))
    view = queues_view(
        job, a_workload("train", message=SHORT), ahead_, behind, a_local_queue(), a_cluster_queue(used=8), a_flavor()
    )
    assert "second of 3 in line" in told(STAGE, asked(view, job))


def test_numbers_that_contradict_what_kueue_said_are_told() -> None:
    text = of_job(a_local_queue(), a_cluster_queue(used=2), a_flavor())
    assert "6 of 8 left in flavor `default` by now: it should be let in soon" in text


def test_a_refusal_is_told_where_neither_queue_nor_templates_are_known() -> None:
    job = a_job()
    bare = a_workload("train", message=SHORT, spec={"podSets": []})
    text = told(STAGE, asked(queues_view(job, bare, unread=("localqueues", "clusterqueues")), job))
    assert "needs 1 GPU and its ClusterQueue has too few left" in text
    assert "list clusterqueues" in text


def test_a_pod_of_an_owner_that_is_not_read_finds_its_workload() -> None:
    pod = a_waiting("w-0", owner=Owner("PyTorchJob", "torch", "uid-Job-llm-torch"), gated=True)
    view = queues_view(pod, a_workload("torch", message=SHORT), a_local_queue(), a_cluster_queue(used=8), a_flavor())
    assert told(STAGE, asked(view, pod)).startswith("kueue.quota CAUSE")


def test_groups_of_one_set_keep_their_own_names() -> None:
    job = a_job()
    many = {"kueue.x-k8s.io/is-group-workload": "true"}
    group = a_workload("lws", 8, admitted=True, annotations=many)
    view = queues_view(
        job, a_workload("train", message=SHORT), group, a_local_queue(), a_cluster_queue(used=8), a_flavor()
    )
    assert "llm/job-lws-1: 8" in told(STAGE, asked(view, job))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        pytest.param(
            "WaitingForPodsReady", "until the pods of what it let in before are ready", id="a reason of newer releases"
        ),
        pytest.param("Inadmissible", "does not admit it", id="a reason of older releases"),
        pytest.param("ReasonToCome", "“ReasonToCome”", id="an unknown reason"),
    ],
)
def test_a_reason_without_a_message(reason: str, words: str) -> None:
    assert words in of_job(a_local_queue(), a_cluster_queue(), a_flavor(), message="", reason=reason)


def test_what_was_evicted_is_told_so() -> None:
    evicted = {
        "type": "Evicted",
        "status": "True",
        "reason": "Preempted",
        "message": "to make room",
        "lastTransitionTime": ago(minutes=5),
    }
    refusal = {"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": SHORT}
    text = of_job(a_local_queue(), a_cluster_queue(used=8), a_flavor(), status={"conditions": [refusal, evicted]})
    assert "put back 5 min ago (Preempted): “to make room”" in text


def test_who_cannot_run_is_the_best_to_end_then_the_lowest_priority_then_the_youngest() -> None:
    job = a_job()
    homeless = a_waiting("big-0", gpus=8, owner=Owner("Job", "big", "uid-Job-llm-big"))
    held = (
        a_workload("big", 2, admitted=True, spec={"priority": 100}),
        a_workload("old", 2, admitted=True, created=ago(days=2)),
        a_workload("young", 2, admitted=True, created=ago(hours=2)),
        a_workload("high", 2, admitted=True, spec={"priority": 9}),
    )
    queues = (a_local_queue(), a_cluster_queue(used=8), a_flavor())
    view = queues_view(job, homeless, *held, a_workload("train", message=SHORT), *queues)
    (group,) = next(one for one in found(STAGE, asked(view, job)) if one.id == "kueue.quota").groups
    assert [line.partition(":")[0] for line in group.lines] == ["llm/big", "llm/young", "llm/old", "llm/high"]


def test_a_holder_of_higher_priority_is_not_offered_to_be_ended() -> None:
    job = a_job()
    high = a_workload("high", 8, admitted=True, spec={"priority": 9})
    view = queues_view(
        job, high, a_workload("train", message=SHORT), a_local_queue(), a_cluster_queue(used=8), a_flavor()
    )
    (only,) = found(STAGE, asked(view, job))
    assert only.remedies == ()
