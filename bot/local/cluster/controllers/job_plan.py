"""What a Job needs next: how many pods to make, which to end, and whether it is over."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.local.cluster.controllers.access import Key, Obj
from bot.local.cluster.controllers.conditions import Condition
from bot.local.cluster.controllers.owned import PodSet
from bot.local.cluster.controllers.pods import first_to_go, parse_time

INDEX = "batch.kubernetes.io/job-completion-index"


@dataclass(slots=True)
class Plan:
    succeeded: int
    create: Sequence[int | None] = ()  # completion indexes, None where the Job has none
    delete: Sequence[Key] = ()
    conditions: list[Condition] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return any(c["type"] == "Complete" for c in self.conditions)


def plan(job: Obj, pods: PodSet, now: datetime) -> Plan:
    spec = job["spec"]
    succeeded = _succeeded(job, pods)
    if failure := _failure(job, pods, now):
        return Plan(succeeded, delete=list(pods.active), conditions=_verdict("FailureTarget", "Failed", *failure))
    if _enough(job, pods, succeeded):
        reached = ("CompletionsReached", "Reached expected number of succeeded pods")
        return Plan(
            succeeded, delete=list(pods.active), conditions=_verdict("SuccessCriteriaMet", "Complete", *reached)
        )
    if spec.get("suspend"):
        return Plan(
            succeeded, delete=list(pods.active), conditions=[_condition("Suspended", "JobSuspended", "Job suspended")]
        )
    wanted = _wanted_active(job, succeeded, pods)
    surplus = first_to_go(pods.active, pods.ready)[: max(0, len(pods.active) - wanted)]
    missing = max(0, wanted - len(pods.active) - len(pods.terminating))
    return Plan(succeeded, create=_indexes(job, pods, missing), delete=surplus)


def _wanted_active(job: Obj, succeeded: int, pods: PodSet) -> int:
    parallelism, completions = job["spec"].get("parallelism", 1), job["spec"].get("completions")
    if completions is None:  # a work queue: once one pod has succeeded, no more are made
        return len(pods.active) if pods.succeeded else parallelism
    return int(min(parallelism, completions - succeeded))


def _enough(job: Obj, pods: PodSet, succeeded: int) -> bool:
    completions = job["spec"].get("completions")
    if completions is None:
        return bool(pods.succeeded) and not pods.active
    return succeeded >= int(completions)


def _failure(job: Obj, pods: PodSet, now: datetime) -> tuple[str, str] | None:
    deadline = job["spec"].get("activeDeadlineSeconds")
    start = (job.get("status") or {}).get("startTime")
    if deadline is not None and start and now >= parse_time(start) + timedelta(seconds=deadline):
        return "DeadlineExceeded", "Job was active longer than specified deadline"
    if len(pods.failed) > job["spec"].get("backoffLimit", 6):
        return "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    return None


def _succeeded(job: Obj, pods: PodSet) -> int:
    """How many count; with indexes, each index once."""
    if not _indexed(job):
        return len(pods.succeeded)
    return len({_index(pod) for pod in pods.succeeded.values()})


def _indexes(job: Obj, pods: PodSet, count: int) -> Sequence[int | None]:
    if not _indexed(job):
        return [None] * count
    held = {_index(p) for group in (pods.active, pods.terminating, pods.succeeded) for p in group.values()}
    return [i for i in range(job["spec"]["completions"]) if i not in held][:count]


def _indexed(job: Obj) -> bool:
    return bool(job["spec"].get("completionMode") == "Indexed")


def _index(pod: Obj) -> int:
    return int(pod["metadata"]["annotations"][INDEX])


def _verdict(first: str, last: str, reason: str, message: str) -> list[Condition]:
    return [_condition(first, reason, message), _condition(last, reason, message)]


def _condition(type_: str, reason: str, message: str) -> Condition:
    return {"type": type_, "status": "True", "reason": reason, "message": message}
