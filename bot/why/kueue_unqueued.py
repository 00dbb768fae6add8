"""Jobs and pods that Kueue should look after and that have no Workload: what is missing before one is made.

kubernetes-sigs/kueue:pkg/controller/jobframework/reconciler.go, pkg/controller/jobs/pod/pod_controller.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.kueue_controller import down
from bot.why.kueue_queues import closed
from bot.why.kueue_workload import FAST_ANNOTATION, GROUP_LABEL, QUEUE_LABEL, TOTAL_ANNOTATION, asked_queue
from bot.why.shell import kubectl, quoted


def before_workload(case: Case) -> Iterator[Finding]:
    """What keeps Kueue from making a Workload; nothing where no rule of it is broken."""
    queue, _ = asked_queue(case)
    if (shut := closed(case, case.subject.namespace, queue)) is not None:
        yield shut
    elif (short := _incomplete(case)) is not None:
        yield short


def suspended(case: Case) -> Thing | None:
    """The nearest owner (or the subject itself) that is suspended, which is how Kueue holds a job back."""
    for one in case.owners:
        fields = case.fields(one)
        if fields.flag("spec", "suspend") is True and one.kind != "CronJob":
            return None if _ended(one, case) else one
    return None


def _ended(thing: Thing, case: Case) -> bool:
    fields = case.fields(thing)
    return any(fields.condition(kind).text("status") == "True" for kind in ("Complete", "Failed", "Completed"))


def without_workload(case: Case, thing: Thing) -> Iterator[Finding]:
    """A suspended job that names a queue and has no Workload, or names none although its namespace has queues."""
    queue, named_by = asked_queue(case)
    if queue:
        yield _nobody_made_it(case, thing, queue, named_by)
        if (root := down(case)) is not None:
            yield root
        return
    here = sorted(one.name for one in case.view.things("localqueues").values() if one.namespace == thing.namespace)
    if here:
        yield _no_label(thing, here)


def _nobody_made_it(case: Case, thing: Thing, queue: str, named_by: str) -> Finding:
    return Finding(
        "kueue.no-workload",
        f"it is suspended and names Kueue's queue `{queue}` ({named_by}), but Kueue has made no Workload for it",
        remedies=(
            Remedy(
                "See whether Kueue runs, and what it logs",
                kubectl("get", "pods", "-A", "-l", "app.kubernetes.io/name=kueue"),
            ),
            Remedy(
                "See what was noted about it",
                kubectl("describe", thing.kind.lower(), thing.name, namespace=thing.namespace),
            ),
        ),
        useless=("More quota does not help: it is not in line yet.",),
        unknown=case.not_read("workloads"),
    )


def _no_label(thing: Thing, here: list[str]) -> Finding:
    change = f"{QUEUE_LABEL}={here[0]}"
    return Finding(
        "kueue.no-queue-name",
        f"{thing.kind} `{thing.key}` is suspended and names no queue: if Kueue is to start it, the label "
        f"`{QUEUE_LABEL}` is missing ({thing.namespace} has {names([f'`{one}`' for one in here])})",
        Level.ROOT,
        remedies=(
            Remedy(
                f"Put it in a queue, for example `{here[0]}`",
                kubectl("label", thing.kind.lower(), thing.name, change, namespace=thing.namespace),
                verified=False,
            ),
        ),
    )


def _incomplete(case: Case) -> Finding | None:
    """Kueue makes the Workload of a pod group only when all its pods exist."""
    group = case.pod.labels.get(GROUP_LABEL, "") if case.pod else ""
    if not group or case.pod is None:
        return None
    annotations = case.detail.map("metadata", "annotations")
    total = annotations.get(TOTAL_ANNOTATION, "")
    mine = [pod for pod in case.view.pods.values() if _in_group(pod, case.pod.namespace, group)]
    told = next((one for one in case.events if one.reason == "ErrWorkloadCompose"), None)
    short = total.isdecimal() and len(total) < 7 and len(mine) < int(total) and FAST_ANNOTATION not in annotations
    if not short and told is None:
        return None
    of = f" of {total}" if total.isdecimal() else ""
    return Finding(
        "kueue.group-incomplete",
        f"Kueue waits for the rest of pod group `{group}`: {len(mine)}{of} pods exist, and it admits a group "
        "only as a whole",
        evidence=(f"Kueue says {quoted(told.message)}",) if told else (),
        remedies=(
            Remedy(
                f"Create the missing {count(int(total) - len(mine), 'pod')}"
                if short
                else "Compare the pods of the group",
                kubectl("get", "pods", "-l", f"{GROUP_LABEL}={group}", namespace=case.pod.namespace),
            ),
            Remedy(
                f"Or correct the annotation `{TOTAL_ANNOTATION}`, and the same queue name on all pods", verified=False
            ),
        ),
        useless=("More quota does not help: the group is not in line yet.",),
        weight=3,
    )


def _in_group(pod: Pod, namespace: str, group: str) -> bool:
    return pod.namespace == namespace and not pod.finished and pod.labels.get(GROUP_LABEL) == group
