"""Volcano: has the group been let in, and has the whole gang a place?

A PodGroup is Pending until its queue lets it in (then pods of a Volcano job do not even exist), Inqueue while it waits
for places for all its members at once. The queue's capability is compared resource by resource, because a resource that
is not listed (`pods` above all) can shut the queue while GPUs and CPU fit. Of a gang that has no place, the first
member without a node is the culprit: the others say "Schedulable" and only wait for it.

Facts: volcano-sh/volcano:pkg/scheduler/plugins/{capacity,gang,overcommit}, pkg/scheduler/api/unschedule_info.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.words import count
from bot.why.case import Case
from bot.why.finding import Finding, Group, Stage
from bot.why.kueue_queues import nearest
from bot.why.shell import kubectl, quoted
from bot.why.volcano_gang import gang
from bot.why.volcano_group import VolcanoGroup, group_of, queues_of
from bot.why.volcano_messages import overused
from bot.why.volcano_quota import compared, inside


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
        yield from gang(case, group)


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
            groups=tuple(_let_in(case, what)),
            remedies=tuple(_stuck_first(case, what)),
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


def _let_in(case: Case, what: str) -> Iterator[Group]:
    """Groups that were let in and have no place yet: they count as much as those that run."""
    waiting = list(inside(case, what))
    if waiting:
        lines = [f"{key}: {words}" for key, words in waiting[:5]]
        rest = len(waiting) - len(lines)
        yield Group("Let in and not running", (*lines, *((f"and {count(rest, 'other')}",) if rest else ())))


def _stuck_first(case: Case, what: str) -> Iterator[Remedy]:
    first = next(inside(case, what), None)
    if first is not None:
        yield Remedy(f"See why those that were let in do not start: ask `why podgroup/{first[0]}`")


STAGE = Stage(
    "volcano",
    42,
    judge,
    needs=frozenset({"pods", "podgroups", "volcanoqueues", "volcanojobs", "events"}),
    docs=__doc__ or "",
)
