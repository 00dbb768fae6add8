"""Workloads that Kueue took back: switched off with the reason, or evicted and never let go of."""

from typing import Any

import pytest

from bot.domain.record import Owner
from bot.why.finding import Finding
from bot.why.stages.kueue import STAGE
from tests.factories import a_pod
from tests.why.builders_queues import (
    a_cluster_queue,
    a_flavor,
    a_job,
    a_local_queue,
    a_workload,
    ago,
    asked,
    found,
    queues_view,
)


def condition(kind: str, status: str = "True", reason: str = "", message: str = "", minutes: float = 30) -> Any:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": ago(minutes=minutes),
    }


def switched_off(reason: str, message: str = "", tries: int = 0) -> str:
    job = a_job()
    status = {"conditions": [condition("Evicted", reason=reason, message=message)], "requeueState": {"count": tries}}
    mine = a_workload("train", spec={"active": False}, status=status)
    (only,) = found(STAGE, asked(queues_view(job, mine, a_local_queue(), a_cluster_queue(), a_flavor()), job))
    assert only.id == "kueue.deactivated"
    return f"{only.sentence}\n{only.remedies[0].action}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            switched_off("DeactivatedDueToRequeuingLimitExceeded", tries=5),
            ["30 min ago by Kueue after 5 tries, because its pods were not ready in time", "See why its pods"],
            id="too many tries",
        ),
        pytest.param(
            switched_off("InactiveWorkload", "exceeding the maximum number of re-queuing retries", 1),
            ["by Kueue after 1 try, because its pods"],
            id="too many tries, as older releases say it",
        ),
        pytest.param(
            switched_off("DeactivatedDueToAdmissionCheck", 'AdmissionCheck in Rejected state: "dws" (no quota)'),
            ["by Kueue, because an admission check rejected it", "Put right what the check says"],
            id="a check said no",
        ),
        pytest.param(
            switched_off("DeactivatedDueToMaximumExecutionTimeExceeded"),
            ["because it ran for longer than its maximumExecutionTimeSeconds"],
            id="it ran too long",
        ),
        pytest.param(
            switched_off("Deactivated"), ["was switched off 30 min ago (spec.active is false)"], id="nobody says why"
        ),
    ],
)
def test_why_it_was_switched_off(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


def left_behind(minutes: float = 30, evicted: str = "True") -> Any:
    """Admitted still, though Kueue evicted it."""
    thing = a_workload("old", 8, admitted=True)
    status = {
        **thing.fields.data["status"],
        "conditions": [
            condition("QuotaReserved", minutes=600),
            condition("Admitted", minutes=600),
            condition("Evicted", evicted, "PodsReadyTimeout", "Exceeded the PodsReady timeout", minutes),
        ],
    }
    return a_workload("old", 8, admitted=True, status=status)


def of_old(workload: Any, *others: Any) -> list[Finding]:
    job = a_job("old")
    queue = a_cluster_queue(used=8)
    return found(STAGE, asked(queues_view(job, workload, a_local_queue(), queue, a_flavor(), *others), job))


def test_evicted_and_still_holding_quota() -> None:
    (only,) = of_old(left_behind())
    assert only.id == "kueue.not-released"
    assert "evicted it 30 min ago (PodsReadyTimeout)" in only.sentence
    assert "still holds 8 GPUs of the quota of `team-a`" in only.sentence
    assert only.remedies[0].command.count("kubectl -n llm patch") == 2


@pytest.mark.parametrize(
    ("workload", "pods"),
    [
        pytest.param(left_behind(2), (), id="its pods may still be ending"),
        pytest.param(left_behind(evicted="False"), (), id="the eviction is of the past"),
        pytest.param(
            left_behind(), (a_pod("old-0", owner=Owner("Job", "old", "uid-Job-llm-old")),), id="a pod of it is there"
        ),
    ],
)
def test_not_left_behind(workload: Any, pods: tuple[Any, ...]) -> None:
    assert "kueue.not-released" not in [one.id for one in of_old(workload, *pods)]


def test_who_was_left_behind_is_the_root_of_what_waits_for_its_quota() -> None:
    job = a_job()
    waiting = a_workload("train", 8, message="")
    view = queues_view(job, waiting, left_behind(), a_local_queue(), a_cluster_queue(used=8), a_flavor())
    told = {one.id: one for one in found(STAGE, asked(view, job))}
    assert "evicted, has no pods" in told["kueue.quota"].groups[0].lines[0]
    assert told["kueue.quota"].until == ""
    assert "`llm/old` holds 8 GPUs of that quota and has no pods" in told["kueue.idle-quota"].sentence
