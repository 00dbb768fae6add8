"""KAI scheduler: has the queue room, is the group whole, and what did it find on the nodes?

KAI places pod groups, from queues with quota, limit and weight. What it says stands in the pod group's conditions and
in events of the pod (Unschedulable, NotReady). Fractions of GPUs are asked for in annotations, and a reservation pod
holds the real GPU, so a node can look full that has half a GPU left.

Facts: NVIDIA/KAI-Scheduler:pkg/scheduler/api/unschedule_info.go, pkg/apis/scheduling/v2alpha2/podgroup_types.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.pattern import Pattern
from bot.domain.thing import Thing
from bot.domain.words import names
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.kai_messages import Sum, at_limit, over_quota
from bot.why.kueue_queues import nearest
from bot.why.shell import kubectl, quoted

SCHEDULER = "kai-scheduler"
QUEUE_LABELS = ("kai.scheduler/queue", "runai/queue")
FRACTIONS = ("gpu-fraction", "gpu-memory")
QUEUES = "queues.scheduling.run.ai"
_NOT_READY = Pattern(
    r"Waiting for (?P<least>\d{1,6}) pods, currently (?P<there>\d{1,6}) exist(?:, (?P<gated>\d{1,6}) are gated)?"
)
OVER_QUOTA, OVER_LIMIT, NO_QUEUE = "NonPreemptibleOverQuota", "OverLimit", "QueueDoesNotExist"


def judge(case: Case) -> Iterator[Finding]:
    if not case.waits or case.pod is None or not _mine(case):
        return
    name = _queue_name(case)
    if (missing := _no_queue(case, name)) is not None:
        yield missing
        return
    group = _group(case)
    refused = list(_refusals(case, group, name)) if group else []
    yield from refused
    if (waiting := _not_ready(case)) is not None:
        yield waiting
    elif not refused:
        yield from _nodes(case)


def _mine(case: Case) -> bool:
    assert case.pod is not None
    return case.pod.scheduler in (SCHEDULER, "runai-scheduler") or any(one in case.pod.labels for one in QUEUE_LABELS)


def _queue_name(case: Case) -> str:
    labels = case.pod.labels if case.pod else {}
    return next((labels[one] for one in QUEUE_LABELS if labels.get(one)), "")


def _no_queue(case: Case, name: str) -> Finding | None:
    table = case.view.things("kaiqueues")
    if not name or not case.view.knows("kaiqueues") or name in table:
        return None
    near = nearest(name, table)
    return Finding(
        "kai.no-queue",
        f"it names KAI's queue `{name}`, which does not exist" + (f" (`{near}` does)" if near else ""),
        evidence=(f"queues that exist: {names(sorted(table), 6) or 'none'}",),
        remedies=(Remedy("See which queues there are", kubectl("get", QUEUES)),),
        useless=("Waiting does not help.",),
        weight=3,
    )


def _group(case: Case) -> Thing | None:
    """By the annotation on the pod, else by the owner that both have."""
    table = case.view.things("kaipodgroups")
    named = case.detail.map("metadata", "annotations").get("pod-group-name", "")
    if named and (found := table.get(f"{case.subject.namespace}/{named}")):
        return found
    uids = {one.uid for one in case.owners if one.uid} | ({case.pod.uid} if case.pod and case.pod.uid else set())
    return next((one for one in table.values() if one.owner is not None and one.owner.uid in uids), None)


def _conditions(fields: Fields) -> Iterator[Fields]:
    yield from fields.each("status", "schedulingConditions")
    yield from fields.each("status", "conditions")


def _refusals(case: Case, group: Thing, queue: str) -> Iterator[Finding]:
    fields = case.fields(group)
    name = fields.text("spec", "queue") or queue
    for told in _conditions(fields):
        reason = told.text("reason") or next((one.text("reason") for one in told.each("reasons")), "")
        message = told.text("message") or next((one.text("message") for one in told.each("reasons")), "")
        if told.text("status") != "False" and reason in (OVER_QUOTA, OVER_LIMIT, NO_QUEUE):
            yield _refused(case, name, reason, message)
            return


def _refused(case: Case, name: str, reason: str, message: str) -> Finding:
    """`full` is the queue that has no room: the workload's own, or one above it."""
    sums = over_quota(message) if reason == OVER_QUOTA else at_limit(message)
    full = sums.queue if sums else name
    return Finding(
        "kai.queue",
        f"KAI does not start it: {_why(name, full, reason, sums)}",
        evidence=tuple(filter(None, (f"KAI says ({reason}) {quoted(message, 300)}", _shares(case, full)))),
        remedies=tuple(_help(full, reason)),
        useless=("More nodes do not help: the queue is what is short.",),
        unknown=case.not_read("kaiqueues"),
        weight=2,
    )


def _why(name: str, full: str, reason: str, sums: Sum | None) -> str:
    if reason == NO_QUEUE:
        return f"its queue `{name}` does not exist"
    above = f"queue `{full}`, which is above its own (`{name}`)," if full != name else f"queue `{name}`"
    used = f": {sums.used} of {sums.most} {sums.what} are used, and it asks for {sums.asked}" if sums else ""
    if reason == OVER_LIMIT:
        return f"{above} is at its limit{used}"
    return f"it may not be evicted, and what may not be evicted has to keep to the quota of {above.rstrip(',')}{used}"


def _shares(case: Case, queue: str) -> str:
    """Quota and limit of GPUs; -1 stands for no limit."""
    thing = case.view.things("kaiqueues").get(queue)
    gpu = case.fields(thing).at("spec", "resources", "gpu") if thing else Fields()
    parts = [f"{what} {gpu.text(what)}" for what in ("quota", "limit") if gpu.text(what)]
    return f"queue {queue}, GPUs: {', '.join(parts).replace('limit -1', 'no limit')}" if parts else ""


def _help(queue: str, reason: str) -> Iterator[Remedy]:
    if reason == OVER_QUOTA:
        yield Remedy(
            "Give it a priority class below 100, if it may be evicted: then it may go over the quota", verified=False
        )
    what = "quota" if reason == OVER_QUOTA else "limit"
    if reason != NO_QUEUE:
        yield Remedy(f"Raise the {what} of queue `{queue}`", kubectl("edit", QUEUES, queue), verified=False)


def _not_ready(case: Case) -> Finding | None:
    event = next((one for one in case.events if one.reason == "NotReady"), None)
    found = _NOT_READY.search(event.message[:1000]) if event else None
    if event is None or found is None:
        return None
    gated = found["gated"] or "0"
    also = f", {gated} of them held by gates" if gated != "0" else ""
    return Finding(
        "kai.not-ready",
        f"its group needs {found['least']} pods and {found['there']} exist{also}: KAI places none before",
        evidence=(f"KAI says {quoted(event.message)}",),
        remedies=tuple(_held(case)),
        useless=("More nodes do not help while members are missing.",),
        weight=2,
    )


def _held(case: Case) -> Iterator[Remedy]:
    """The first of its siblings that a gate holds back."""
    owner = case.pod.owner if case.pod else None
    siblings = case.view.pods_by_owner.get(owner.uid, set()) if owner and owner.uid else set()
    gated = sorted(one.key for one in siblings if one.gated and not one.node)
    if gated:
        yield Remedy(f"Ask what holds the gated one back: `why {gated[0]}`")


def _nodes(case: Case) -> Iterator[Finding]:
    """Its words about nodes, for what kube-scheduler's filters do not know: fractions of GPUs."""
    event = next((one for one in case.events if one.reason == "Unschedulable"), None)
    told = event.message if event else ""
    annotations = case.detail.map("metadata", "annotations")
    asked = next((f"{one} {annotations[one]}" for one in FRACTIONS if one in annotations), "")
    if not told and not asked:
        return
    share = f"It asks for a part of a GPU ({asked}), which stands in no resource: free GPUs are counted by KAI alone"
    yield Finding(
        "kai.nodes",
        share if asked else "KAI found no node for it",
        Level.ALSO if asked else Level.NOTE,
        evidence=(f"KAI says {quoted(told, 400)}",) if told else (),
    )


STAGE = Stage("kai", 44, judge, needs=frozenset({"pods", "kaiqueues", "kaipodgroups", "events"}), docs=__doc__ or "")
