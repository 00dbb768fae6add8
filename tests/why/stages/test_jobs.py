"""Jobs that were given up, and CronJobs that start nothing."""

from typing import Any

import pytest

from bot.why.finding import Level
from bot.why.stages.jobs import STAGE
from bot.why.standing import stands
from tests.why.builders_started import (
    a_case,
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

PLACEHOLDER = a_pod_object("elsewhere-0")


def a_job(
    reason: str = "BackoffLimitExceeded", *, spec: Any = None, owner: Any = None, **status: Any
) -> dict[str, Any]:
    failed = {
        "type": "Failed",
        "status": "True",
        "reason": reason,
        "message": "Job has reached the specified backoff limit",
        "lastTransitionTime": at(30),
    }
    metadata = {"ownerReferences": [owner]} if owner else {}
    told_status = {"startTime": at(90), "conditions": [failed] if reason else []} | status
    return an_object("Job", "eval", "batch/v1", spec=spec or {"backoffLimit": 2}, status=told_status, metadata=metadata)


def tried(number: int = 1) -> dict[str, Any]:
    return a_pod_object(f"eval-{number}", phase="Failed", statuses=[over(1)], owner=("Job", "eval"))


def test_tries_that_are_used_up_stand_beside_the_fault_of_the_pods() -> None:
    case = a_case(tried(), a_job(failed=3), owner=("Job", "eval"))
    finding = the_one(STAGE, case, "jobs.tries")
    assert finding.level is Level.ALSO
    assert "It was given up: 3 pods of it failed, more than its backoffLimit of 2 allows" in finding.sentence
    assert "1 h after its start" in told(finding)
    assert "a failed Job makes no more pods" in told(finding)
    assert stands(case).words == "has failed (BackoffLimitExceeded)"


def test_without_pods_it_is_the_cause_and_their_logs_are_unknown() -> None:
    finding = the_one(STAGE, a_case(PLACEHOLDER, a_job(failed=3), owner=("Job", "eval")), "jobs.tries")
    assert finding.level is Level.CAUSE
    assert "they are gone" in told(finding)


def test_a_deadline_is_the_cause_and_names_its_length() -> None:
    job = a_job("DeadlineExceeded", spec={"activeDeadlineSeconds": 3600}, failed=1)
    ended = an_event("SuccessfulDelete", "Deleted pod: eval-1", about="eval", kind="Job", source="job-controller")
    finding = the_one(STAGE, a_case(PLACEHOLDER, job, ended, owner=("Job", "eval")), "jobs.deadline")
    assert finding.level is Level.CAUSE
    assert "activeDeadlineSeconds of 3,600 s (1 h) were over" in finding.sentence
    assert "deleted its running pods" in told(finding)
    assert "kubectl -n llm get job eval -o yaml" in told(finding)


def test_a_rule_of_its_failure_policy_is_quoted() -> None:
    job = a_job("PodFailurePolicy")
    assert (
        "reason `PodFailurePolicy`: “Job has"
        in the_one(STAGE, a_case(PLACEHOLDER, job, owner=("Job", "eval")), "jobs.given-up").sentence
    )


def test_a_run_of_a_cronjob_is_made_again_from_it() -> None:
    job = a_job(owner={"kind": "CronJob", "name": "nightly", "uid": "u", "controller": True})
    text = told(the_one(STAGE, a_case(PLACEHOLDER, job, owner=("Job", "eval")), "jobs.tries"))
    assert "kubectl -n llm create job --from=cronjob/nightly eval-again" in text


def a_cron(**status: Any) -> dict[str, Any]:
    return an_object("CronJob", "nightly", "batch/v1", spec={"concurrencyPolicy": "Forbid"}, status=status)


PASSED_OVER = an_event(
    "JobAlreadyActive", "Not starting job because prior execution is running", about="nightly", kind="CronJob"
)


def test_a_cronjob_is_held_back_by_its_own_last_run() -> None:
    job = an_object("Job", "nightly-1", "batch/v1", metadata={"creationTimestamp": at(600)}, spec={})
    well = a_pod_object(statuses=[running(ready=True)], status=ready_status())
    case = a_case(well, a_cron(active=[{"name": "nightly-1"}]), job, PASSED_OVER, owner=("CronJob", "nightly"))
    finding = the_one(STAGE, case, "jobs.last-run-holds")
    assert finding.level is Level.CAUSE
    assert "its job `nightly-1` still runs for 10 h, and its concurrencyPolicy is Forbid" in finding.sentence
    assert "kubectl -n llm delete job nightly-1" in told(finding)
    assert finding.until


def test_a_last_run_that_is_stuck_itself_is_the_matter_and_the_cronjob_only_follows() -> None:
    case = a_case(PLACEHOLDER, a_cron(active=[{"name": "nightly-1"}]), PASSED_OVER, owner=("CronJob", "nightly"))
    finding = the_one(STAGE, case, "jobs.last-run-holds")
    assert finding.level is Level.ALSO
    assert finding.sentence.startswith("It starts no new run: its job `nightly-1` is not done")


@pytest.mark.parametrize(
    ("objects", "owner"),
    [
        pytest.param([a_job("")], ("Job", "eval"), id="a job that runs"),
        pytest.param([a_cron(active=[{"name": "nightly-1"}])], ("CronJob", "nightly"), id="a run that is only running"),
        pytest.param([a_cron(), PASSED_OVER], ("CronJob", "nightly"), id="a run that was in the way once"),
        pytest.param([a_job(conditions="broken")], ("Job", "eval"), id="conditions that are none"),
    ],
)
def test_nothing_is_said_of_others(objects: list[dict[str, Any]], owner: tuple[str, str]) -> None:
    assert ids(STAGE, a_case(PLACEHOLDER, *objects, owner=owner)) == []


def test_nothing_is_said_of_pods() -> None:
    assert ids(STAGE, a_case(a_pod_object(statuses=[running(ready=True)]), a_job())) == []
