"""Controllers that want pods and do not get them made, each once, by the name that people know.

With them machines that were ordered and never came.

No pod of theirs waits anywhere, so nothing but their numbers shows it: a quota, a webhook, a paused queue.
"""

from datetime import datetime

from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.time import seconds_since
from bot.domain.view import View
from bot.why.above import topmost
from bot.why.podless import in_line

YOUNG_SECONDS = 900.0  # within which a machine that was ordered joins, as a rule
TABLES = ("replicasets", "statefulsets", "deployments", "daemonsets", "jobs")
GIVEN_UP_SECONDS = 86_400.0  # a Job that failed longer ago is nobody's news


def owners(view: View, now: datetime) -> list[Thing]:
    """Those that lack pods, Jobs that were given up lately, and work that waits in a queue before any pod exists."""
    found: dict[str, Thing] = {}
    for table in TABLES:
        for thing in view.things(table).values():
            if not thing.deleted and (_lacks(table, thing) or _gave_up(view, table, thing, now)):
                top = thing if table == "jobs" else topmost(view, thing.owner, thing.namespace) or thing
                found.setdefault(f"{top.kind} {top.key}", top)
    for thing in in_line(view):
        found.setdefault(f"{thing.kind} {thing.key}", thing)
    for thing in view.things("nodeclaims").values():
        if not thing.deleted and _never_came(thing, now):
            found.setdefault(f"{thing.kind} {thing.key}", thing)
    return list(found.values())


def _never_came(claim: Thing, now: datetime) -> bool:
    """A machine that was ordered and is no usable node yet, long after."""
    age = seconds_since(claim.created, now)
    return age is not None and age > YOUNG_SECONDS and claim.fields.condition("Initialized").text("status") != "True"


def _lacks(table: str, thing: Thing) -> bool:
    fields = thing.fields
    if table == "jobs":
        return fields.flag("spec", "suspend") is True or _job_lacks(fields)
    if table == "daemonsets":
        wanted, there = ("status", "desiredNumberScheduled"), ("status", "currentNumberScheduled")
    else:
        wanted, there = ("spec", "replicas"), ("status", "replicas")
    return (fields.number(*wanted) or 0) > (fields.number(*there) or 0)


def _job_lacks(fields: Fields) -> bool:
    """It could have more pods at once than it has, and is not over (kubernetes/kubernetes:pkg/controller/job)."""
    if any(fields.condition(one).text("status") == "True" for one in ("Complete", "Failed", "FailureTarget")):
        return False
    at_once, completions = fields.number("spec", "parallelism"), fields.number("spec", "completions")
    wanted = 1 if at_once is None else at_once
    if completions is not None:
        wanted = min(wanted, completions - (fields.number("status", "succeeded") or 0))
    return wanted > (fields.number("status", "active") or 0)


def _gave_up(view: View, table: str, thing: Thing, now: datetime) -> bool:
    if table != "jobs":
        return False
    failed = thing.fields.condition("Failed")
    age = seconds_since(failed.text("lastTransitionTime"), now)
    lately = age is None or age < GIVEN_UP_SECONDS
    return failed.text("status") == "True" and lately and not done_since(view, thing)


def done_since(view: View, job: Thing) -> bool:
    """Whether a later run of the same CronJob or the like has completed."""
    if job.owner is None:
        return False
    return any(
        one.owner is not None
        and one.owner.uid == job.owner.uid
        and one.created > job.created
        and one.fields.condition("Complete").text("status") == "True"
        for one in view.things("jobs").values()
        if one.namespace == job.namespace
    )
