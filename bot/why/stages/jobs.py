"""A Job that was given up, and a CronJob that starts no run.

A Job ends for good when its tries are used up (backoffLimit), its time is over (activeDeadlineSeconds, which counts
from its start, queueing for nodes included), or a rule of its podFailurePolicy says so; its pods may be deleted then,
and their logs with them. A CronJob with concurrencyPolicy Forbid starts nothing while its last Job runs.
kubernetes/kubernetes:pkg/controller/job, pkg/controller/cronjob.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.text import inert
from bot.domain.thing import Thing
from bot.domain.words import count, duration
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.rolling import well
from bot.why.shell import kubectl
from bot.why.started.say import clock, lasted, quote

_DEADLINE = "DeadlineExceeded"
_TRIES = "BackoffLimitExceeded"
DEFAULT_TRIES = 6


def judge(case: Case) -> Iterator[Finding]:
    thing = case.subject.thing
    if thing is None or "volcano" in thing.api_version:
        return
    if thing.kind == "Job":
        yield from _given_up(case, thing)
    elif thing.kind == "CronJob":
        yield from _held_back(case, thing)


# ---- Job -------------------------------------------------------------------------------------------------------------


def _given_up(case: Case, job: Thing) -> Iterator[Finding]:
    """The cause where it is the clock, or no pod is left to tell more; else what stands beside the pod's own fault."""
    fields = case.fields(job)
    failed = fields.condition("Failed") or fields.condition("FailureTarget")
    if failed.text("status") != "True":
        return
    reason = inert(failed.text("reason"), 60)
    tells = reason != _DEADLINE and any(pod.phase == "Failed" for pod in case.subject.pods)
    words = _why(fields, reason, failed)
    yield Finding(
        f"jobs.{'deadline' if reason == _DEADLINE else 'tries' if reason == _TRIES else 'given-up'}",
        f"It was given up: {words}" if tells else words,
        Level.ALSO if tells else Level.CAUSE,
        evidence=tuple(_evidence(case, job, fields, failed)),
        remedies=tuple(_again(job, reason)),
        useless=("Waiting does not help: a failed Job makes no more pods",),
        unknown=() if tells or _pods(case) else ("what its pods did: they are gone, and their logs with them",),
    )


def _pods(case: Case) -> bool:
    return bool(case.subject.pods)


def _why(fields: Fields, reason: str, failed: Fields) -> str:
    number = fields.number("status", "failed") or 0
    if reason == _DEADLINE:
        allowed = fields.number("spec", "activeDeadlineSeconds")
        limit = f" of {allowed:,} s ({duration(allowed)})" if allowed else ""
        return f"its activeDeadlineSeconds{limit} were over before its work was done, so its pods were ended"
    if reason == _TRIES:
        most = fields.number("spec", "backoffLimit")
        tries = DEFAULT_TRIES if most is None else most
        pods = f"{count(number, 'pod')} of it failed" if number else "its pods failed"
        return f"{pods}, more than its backoffLimit of {tries} allows, so it makes no more"
    said = failed.text("message")
    return f"it failed for good, reason `{reason}`{f': {quote(said)}' if said else ''}"


def _evidence(case: Case, job: Thing, fields: Fields, failed: Fields) -> Iterator[str]:
    began, ended = fields.text("status", "startTime"), failed.text("lastTransitionTime")
    first, last = case.age_seconds(began), case.age_seconds(ended)
    if at := clock(case, ended):
        ran = f", {duration(first - last)} after its start" if first is not None and last is not None else ""
        yield f"condition Failed {at}{ran}: {quote(failed.text('message') or failed.text('reason'))}"
    if any(one.reason == "SuccessfulDelete" for one in case.events_on(job)):
        yield "the job controller deleted its running pods then"


def _again(job: Thing, reason: str) -> Iterator[Remedy]:
    """A Job's template cannot be changed, so it is made anew."""
    what = "with a higher activeDeadlineSeconds" if reason == _DEADLINE else "once the cause is mended"
    if job.owner is not None and job.owner.kind == "CronJob":
        start = kubectl("-n", job.namespace, "create", "job", f"--from=cronjob/{job.owner.name}", f"{job.name}-again")
        yield Remedy(f"Run it again {what}: from its CronJob", start)
        return
    look = kubectl("-n", job.namespace, "get", "job", job.name, "-o", "yaml")
    yield Remedy(f"Delete it and make it anew {what}; its manifest is where it came from, or as it stands", look)


# ---- CronJob ---------------------------------------------------------------------------------------------------------


def _held_back(case: Case, cron: Thing) -> Iterator[Finding]:
    """By its own last run; only where its controller says that it passed a time over for that."""
    event = next((one for one in case.events_on(cron) if one.reason == "JobAlreadyActive"), None)
    fields = case.fields(cron)
    running = [one.text("name") for one in fields.each("status", "active") if one.text("name")]
    if event is None or not running:
        return
    job = case.view.thing("Job", cron.namespace, running[0])
    age = case.age_seconds(job.created) if job is not None else None
    name = inert(running[0], 80)
    stuck = case.pod is not None and not well(case.pod)  # then that is the matter, and this its consequence
    sentence = (
        f"it starts no new run: its job `{name}` {'is not done' if stuck else 'still runs'}{lasted(age)}, and its "
        f"concurrencyPolicy is {inert(fields.text('spec', 'concurrencyPolicy') or 'Forbid', 20)}"
    )
    yield Finding(
        "jobs.last-run-holds",
        f"{sentence[0].upper()}{sentence[1:]}" if stuck else sentence,
        Level.ALSO if stuck else Level.CAUSE,
        evidence=(f"cronjob controller {clock(case, event.time)}: {quote(event.message)}",),
        remedies=(
            Remedy("See whether that run still does its work", kubectl("-n", cron.namespace, "logs", f"job/{name}")),
            Remedy(
                "If it hangs: end it, the next run then starts at its time",
                kubectl("-n", cron.namespace, "delete", "job", name),
                False,
                "what that run has done since its last checkpoint",
            ),
            Remedy("Give the job template an activeDeadlineSeconds, so that a run that hangs ends by itself"),
        ),
        until=f"`{name}` is done, if it still works",
    )


STAGE = Stage("jobs", 23, judge, needs=frozenset({"jobs", "cronjobs", "pods", "events"}), docs=__doc__ or "")
