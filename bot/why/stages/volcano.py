"""Volcano: has the group been let in, and has the whole gang a place?

A PodGroup is Pending until its queue lets it in (then pods of a Volcano job do not even exist), Inqueue while it waits
for places for all its members at once. The queue's capability is compared resource by resource, because a resource that
is not listed (`pods` above all) can shut the queue while GPUs and CPU fit. Of a gang that has no place, the first
member without a node is the culprit: the others say "Schedulable" and only wait for it.

Facts: volcano-sh/volcano:pkg/scheduler/plugins/{capacity,gang,overcommit}, pkg/scheduler/api/unschedule_info.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count
from bot.why.case import Case
from bot.why.finding import Finding, Level, Stage
from bot.why.kueue_queues import nearest
from bot.why.shell import kubectl, quoted
from bot.why.volcano_group import VolcanoGroup, group_of, members_of, queues_of
from bot.why.volcano_messages import gang, overused
from bot.why.volcano_quota import compared

WAITS_FOR_GANG = ("Schedulable", "Undetermined")


def judge(case: Case) -> Iterator[Finding]:
    group = group_of(case)
    if group is None or (group.phase in ("Running", "Completed") and not case.waits):
        return
    if case.view.knows("volcanoqueues"):
        closed = list(_queue(case, group))
        yield from closed
        if closed:
            return
    if group.phase in ("Pending", ""):
        yield from _not_let_in(case, group)
    else:
        yield from _gang(case, group)


def _queue(case: Case, group: VolcanoGroup) -> Iterator[Finding]:
    queues = list(queues_of(case, group))
    if not queues:
        near = nearest(group.queue, case.view.things("volcanoqueues"))
        yield Finding(
            "volcano.no-queue",
            f"it names Volcano's queue `{group.queue}`, which does not exist" + (f" (`{near}` does)" if near else ""),
            remedies=(Remedy("See which queues there are", kubectl("get", "queues.scheduling.volcano.sh")),),
            useless=("Waiting does not help.",),
            weight=3,
        )
    for queue in queues:
        if queue.state not in ("Open", ""):
            yield Finding(
                "volcano.queue-closed",
                f"queue `{queue.thing.name}` is {queue.state} and lets nothing in",
                remedies=(
                    Remedy(
                        "Ask who closed it; then open it",
                        f"vcctl queue operate -a open -n {queue.thing.name}",
                        verified=False,
                        cost="everything that waits in it may start",
                    ),
                ),
                weight=3,
            )


def _message(case: Case, group: VolcanoGroup) -> str:
    """Why it is not let in: events say it best, and Volcano repeats them every second."""
    events = [one for one in case.events_on(group.thing) if one.reason == "Unschedulable"]
    quota = next((one.message for one in events if "insufficient" in one.message or "overused" in one.message), "")
    return quota or group.fields.condition("Unschedulable").text("message")


def _not_let_in(case: Case, group: VolcanoGroup) -> Iterator[Finding]:
    message = _message(case, group)
    for queue in queues_of(case, group):
        found = compared(case, group, queue, message)
        if found is not None:
            yield found
            return
    if what := overused(message):
        yield Finding(
            "volcano.overused",
            f"Volcano lets no more work in, because what it let in already would use up the cluster ({what})",
            evidence=(f"Volcano says {quoted(message)}",),
            useless=("A larger queue does not help: the cluster as a whole is what is full.",),
            until="work that was let in ends, or nodes are added",
        )
        return
    yield Finding(
        "volcano.not-let-in",
        f"Volcano has not let its group into queue `{group.queue}` (PodGroup {group.phase or 'without a phase'})",
        evidence=(f"Volcano says {quoted(message)}",) if message else (),
        remedies=(
            Remedy(
                "See what is noted about the group",
                kubectl(
                    "describe", "podgroups.scheduling.volcano.sh", group.thing.name, namespace=group.thing.namespace
                ),
            ),
        ),
        unknown=case.not_read("volcanoqueues", "events"),
        weight=-1,
    )


def _gang(case: Case, group: VolcanoGroup) -> Iterator[Finding]:
    members = members_of(case, group)
    if members and group.members > len(members):
        yield _too_few(group, len(members))
        return
    told = gang(group.fields.condition("Unschedulable").text("message"))
    culprit = next((pod for pod in members if _refused(pod)), None)
    waits = case.pod is not None and _waits_for_gang(case.pod)
    if not waits or case.pod is None:
        return
    if culprit is None and told is None:
        return
    name = culprit.name if culprit else told.culprit if told else ""
    condition = culprit.condition("PodScheduled") if culprit else None
    why = condition.message if condition else told.why if told else ""
    blamed = f": `{name}` has none" if name else ""
    yield Finding(
        "volcano.gang",
        f"it could be placed and waits for its group, which starts only when {count(group.members, 'pod')} have a place"
        f"{blamed}",
        evidence=tuple(
            filter(None, (f"{name}: {quoted(why, 300)}" if why else "", _states(told.states) if told else ""))
        ),
        remedies=(Remedy(f"Ask for the one without a place: `why {group.thing.namespace}/{name}`"),) if name else (),
        useless=("Looking for a fault of this pod does not help: it has none.",),
        weight=1,
    )
    if culprit is not None and why:
        yield Finding("volcano.culprit", f"`{name}` finds no node: {quoted(why)}", Level.ROOT)


def _states(states: dict[str, int]) -> str:
    return "members: " + ", ".join(f"{number} {state}" for state, number in states.items()) if states else ""


def _refused(pod: Pod) -> bool:
    told = pod.condition("PodScheduled")
    return not pod.node and told is not None and told.reason == "Unschedulable"


def _waits_for_gang(pod: Pod) -> bool:
    told = pod.condition("PodScheduled")
    return not pod.node and told is not None and told.reason in WAITS_FOR_GANG


def _too_few(group: VolcanoGroup, there: int) -> Finding:
    return Finding(
        "volcano.too-few",
        f"its group needs {count(group.members, 'pod')} and {'has' if there else 'there are'} {there}: none "
        "starts before",
        remedies=(
            Remedy(
                "See why the others are missing (quota, admission)",
                kubectl("get", "events", namespace=group.thing.namespace),
            ),
        ),
        useless=("More nodes do not help while members are missing.",),
        weight=2,
    )


STAGE = Stage(
    "volcano",
    42,
    judge,
    needs=frozenset({"pods", "podgroups", "volcanoqueues", "volcanojobs", "events"}),
    docs=__doc__ or "",
)
