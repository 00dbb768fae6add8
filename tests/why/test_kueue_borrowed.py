"""Quota that neighbours have borrowed, and what makes room in a full queue."""

from typing import Any

import pytest

from bot.domain.record import Owner
from bot.domain.thing import Thing
from bot.why.finding import Finding, Level
from bot.why.stages.kueue import STAGE
from tests.factories import a_node
from tests.why.builders_queues import (
    GPU,
    a_cluster_queue,
    a_flavor,
    a_job,
    a_local_queue,
    a_workload,
    asked,
    found,
    queues_view,
)

SHORT = f"couldn't assign flavors to pod set main: insufficient unused quota for {GPU} in flavor default, 4 more needed"


def in_line(*others: Any, gpus: int = 4, message: str = SHORT, **queue: Any) -> dict[str, Finding]:
    """What is found of job `train`, by id; its queue is `team-a` of cohort `lab`."""
    job = a_job(gpus=gpus)
    mine = a_cluster_queue(**({"nominal": 8, "used": 0, "cohort": "lab"} | queue))
    view = queues_view(job, a_workload("train", gpus, message=message), a_local_queue(), mine, a_flavor(), *others)
    return {one.id: one for one in found(STAGE, asked(view, job))}


def neighbour(used: int, nominal: int = 8) -> Thing:
    return a_cluster_queue("team-b", nominal, used, cohort="lab")


def holding(job: str, gpus: int, owner: str = "Job") -> Thing:
    """Admitted in `team-b`."""
    assigned = [{"name": "main", "flavors": {GPU: "default"}, "resourceUsage": {GPU: str(gpus)}, "count": 1}]
    status = {"admission": {"clusterQueue": "team-b", "podSetAssignments": assigned}}
    thing = a_workload(job, gpus, admitted=True, status=status)
    fields = {name: getattr(thing, name) for name in thing.__struct_fields__}
    return type(thing)(**(fields | {"owner": Owner(owner, job, f"uid-{job}")}))


def test_a_neighbour_that_holds_the_queues_own_quota_is_the_root() -> None:
    told = in_line(neighbour(16), holding("sweep", 16))
    root = told["kueue.borrowed"]
    assert root.level is Level.ROOT
    assert "`team-b` has borrowed 8 GPUs" in root.sentence
    assert "`team-a` takes nothing back (`reclaimWithinCohort: Never`)" in root.sentence
    assert root.groups[0].lines[0].startswith("llm/sweep: 16")
    assert '"reclaimWithinCohort":"Any"' in root.remedies[0].command


@pytest.mark.parametrize(
    ("policy", "words", "change"),
    [
        pytest.param("LowerPriority", "only from workloads of lower priority", True, id="only from lower priorities"),
        pytest.param("Any", "of the cohort", False, id="from all: nothing to change"),
    ],
)
def test_what_the_queue_takes_back(policy: str, words: str, change: bool) -> None:
    root = in_line(neighbour(16), preemption={"reclaimWithinCohort": policy})["kueue.borrowed"]
    assert words in root.sentence
    assert any("reclaimWithinCohort" in one.command for one in root.remedies) is change


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(in_line(neighbour(8)), id="the neighbour keeps to its own"),
        pytest.param(in_line(neighbour(16), used=6), id="it asks for more than is the queue's own"),
        pytest.param(in_line(neighbour(16), cohort=""), id="no cohort"),
        pytest.param(
            in_line(neighbour(16), message=f"{SHORT}. Pending the preemption of 2 workload(s)"),
            id="it is being taken back",
        ),
    ],
)
def test_nobody_is_said_to_have_borrowed(told: dict[str, Finding]) -> None:
    assert "kueue.borrowed" not in told
    assert "kueue.quota" in told


def test_while_kueue_evicts_for_it_waiting_is_right_and_nothing_else_is_advised() -> None:
    (only,) = in_line(neighbour(16), message=f"{SHORT}. Pending the preemption of 2 workload(s)").values()
    assert only.sentence.startswith("Kueue is evicting 2 workloads to make room for it")
    assert only.until == "the 2 workloads that Kueue is evicting for it are gone"
    assert only.remedies == ()


FULL = {"cohort": "", "used": 8, "nominal": 8}


def test_a_larger_quota_is_offered_only_where_the_nodes_have_it() -> None:
    raised = "Raise the quota of `team-a` by 4 GPUs: 8 GPUs are free, at most 8 on one node (gpu-1)"
    assert raised in [one.action for one in in_line(a_node("gpu-1"), **FULL)["kueue.quota"].remedies]
    torn = [a_node(f"gpu-{number}", gpus=3) for number in (1, 2)]
    assert in_line(*torn, **FULL)["kueue.quota"].remedies == ()


def test_who_serves_never_ends_by_itself() -> None:
    serving = a_workload("web", 8, admitted=True)
    fields = {name: getattr(serving, name) for name in serving.__struct_fields__}
    serving = type(serving)(**(fields | {"owner": Owner("LeaderWorkerSet", "web", "uid-web")}))
    told = in_line(serving, **FULL)["kueue.quota"]
    assert told.until == ""
    assert told.remedies[0].cost.startswith("it stops serving")


def test_groups_of_the_same_owner_do_not_make_room_for_each_other() -> None:
    sibling = a_workload("train", 8, admitted=True)
    fields = {name: getattr(sibling, name) for name in sibling.__struct_fields__}
    sibling = type(sibling)(**(fields | {"name": "job-train-0"}))
    assert in_line(sibling, **FULL)["kueue.quota"].remedies == ()
