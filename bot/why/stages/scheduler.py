"""No node, no condition, no event: nobody has looked at the pod, and nobody says so.

A pod that has waited longer than a moment without a word of any scheduler has one of these causes: nobody runs under
the `schedulerName` that it names; that scheduler is down or has lost its lease; or kube-scheduler keeps it out of its
queue, which it tells nobody (a claim is missing, a gang is not complete, victims of its preemption are still ending).
Where no node would take the pod anyway, that is what keeps it, and the silence (events expire) stands beside it.
Managed clusters hide kube-scheduler: there it is alive as long as other pods get their places.
kubernetes/kubernetes:pkg/scheduler/backend/queue/scheduling_queue.go; issue 130668.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, duration, names
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.missing_claims import no_devices
from bot.why.nearest import nearest
from bot.why.preempting import preempting, victims_of
from bot.why.scheduler_down import down
from bot.why.schedulers import DEFAULT, SYSTEM, heard_of, known, last_placed, name_of, waiting_too
from bot.why.shell import kubectl

MOMENT_SECONDS = 15.0


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or not case.waits or pod.gated or pod.deleted:
        return
    if pod.nominated and (victims := victims_of(case, pod)):
        yield preempting(pod, victims)
        return
    outage = down(case, pod)
    if outage is not None:
        yield outage
    elif not heard_of(case, pod) and not any(no_devices(case, pod)):
        yield from _silence(case, pod)


def _silence(case: Case, pod: Pod) -> Iterator[Finding]:
    age = case.age_seconds(pod.created)
    if age is not None and age < MOMENT_SECONDS:
        yield Finding(
            "scheduler.just-made", f"It was created {duration(max(age, 1.0))} ago: schedulers need a moment", Level.NOTE
        )
    elif (gang := _gang(case, pod)) is not None:
        yield gang
    elif not known(case, pod):
        yield _nobody(case, pod)
    else:
        yield _not_queued(case, pod, age)


# ---- nobody of that name ---------------------------------------------------------------------------------------------


def _nobody(case: Case, pod: Pod) -> Finding:
    name = name_of(pod)
    there = {one.scheduler or DEFAULT for one in case.view.pods.values() if one.node} | {DEFAULT}
    like = nearest(name, there)
    hint = f" (`{like}` works here: a typing mistake?)" if like else ""
    top = case.owners[-1].title if case.owners else f"pod/{pod.name}"
    return Finding(
        "scheduler.unknown-name",
        f"it names the scheduler `{name}`, and nobody works under that name{hint}: no scheduler will ever look at it "
        "or say so",
        evidence=(
            f"No pod of scheduler `{name}` has a node, no event is from it, no lease and no Deployment bears its name",
            f"Schedulers that have placed pods here: {names([f'`{one}`' for one in sorted(there)], 4)}",
        ),
        remedies=(
            Remedy(
                f"Name a scheduler that runs (`schedulerName: {like or DEFAULT}`) and create the pod again: the field "
                "cannot be changed",
                kubectl("edit", top, namespace=pod.namespace),
            ),
            Remedy(f"Or start the scheduler `{name}`"),
        ),
        unknown=case.not_read("events", "leases", "deployments"),
    )


# ---- kept out of the queue -------------------------------------------------------------------------------------------


def _not_queued(case: Case, pod: Pod, age: float | None) -> Finding:
    """A scheduler of that name works, and has said nothing."""
    name = name_of(pod)
    last = last_placed(case, name)
    kept = case.verdict.preenqueue if case.verdict else None
    if kept is not None:
        return Finding(
            "scheduler.not-queued",
            f"kube-scheduler keeps it out of its queue without a word: {', '.join(kept.failure.reasons)[:300]}",
            evidence=("No condition, no event: a pod that is not in the queue is never tried",),
        )
    alive = last is not None and last.time > pod.created
    works = f"; it placed {last.about_namespace}/{last.about_name} since" if alive and last else ""
    silence = (
        f"he scheduler `{name}` has not said a word about it{f' in {duration(age)}' if age is not None else ''}{works}"
    )
    if _blocked(case):
        return Finding("scheduler.silent", f"T{silence}: what is said here is our own reading alone", Level.ALSO)
    return Finding(
        "scheduler.silent",
        f"t{silence}: it is "
        f"{'kept out of its queue' if alive else 'down, or keeps the pod out of its queue'}{_would_fit(case)}",
        evidence=tuple(waiting_too(case, pod)),
        remedies=(
            Remedy(
                "Look for the pod in the scheduler's log"
                if not alive
                else "Look what keeps it out in the scheduler's log (at -v=4)",
                kubectl("logs", "-l", "component=kube-scheduler", "--tail=200", namespace=SYSTEM)
                if name == DEFAULT
                else "",
            ),
        ),
        unknown=case.not_read("events", "leases"),
    )


def _blocked(case: Case) -> bool:
    """Whether no node takes it by our own reading, or something keeps it out before any node is looked at."""
    return case.view.knows("nodes") and case.verdict is not None and not case.verdict.feasible


def _would_fit(case: Case) -> str:
    """Not told where other pods may be there that could not be read."""
    if case.verdict is None or not case.verdict.feasible or not case.view.knows("pods"):
        return ""
    return f"; by our own reading it would fit on {names(case.verdict.feasible)}"


def _gang(case: Case, pod: Pod) -> Finding | None:
    """Gang scheduling of kube-scheduler (1.35 and newer): members wait in silence until enough of them exist."""
    group = case.detail.text("spec", "schedulingGroup", "podGroupName") or case.detail.text(
        "spec", "workloadRef", "podGroup"
    )
    if not group:
        return None
    members = [one for one in case.view.waiting if one.namespace == pod.namespace and one.owner == pod.owner]
    workload = case.detail.text("spec", "workloadRef", "name")
    of = f" of workload `{workload}`" if workload else ""
    return Finding(
        "scheduler.gang",
        f"it belongs to pod group `{group}`{of}, and kube-scheduler leaves its members alone, without a word, until "
        "the group exists and enough of them do",
        evidence=(f"{count(len(members), 'pod')} of the same owner wait",),
        remedies=(
            Remedy(
                "Compare the group's minCount with the pods that exist",
                kubectl(
                    "get",
                    "workloads.scheduling.k8s.io,podgroups.scheduling.k8s.io",
                    "-o",
                    "yaml",
                    namespace=pod.namespace,
                ),
            ),
        ),
    )


STAGE = Stage(
    "scheduler",
    60,
    judge,
    needs=frozenset(
        {"pods", "nodes", "events", "leases", "deployments", "statefulsets", "daemonsets", "resourceclaims"}
    ),
    docs=__doc__ or "",
)
