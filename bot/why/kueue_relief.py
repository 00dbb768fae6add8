"""What makes room in a full queue, what does not, and how long it may take by itself."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.words import count, names
from bot.why.amounts import said
from bot.why.case import Case
from bot.why.kueue_line import Holder
from bot.why.kueue_messages import Refusal
from bot.why.kueue_short import Short
from bot.why.kueue_workload import Workload
from bot.why.room import room
from bot.why.shell import kubectl, patch

KIND = "workloads.kueue.x-k8s.io"


def make_room(workload: Workload, resource: str, found: list[Holder]) -> Iterator[Remedy]:
    """One holder that is best to end, if any may be: never one of a higher priority than the one that waits.

    Nor one of the same owner: groups of one LeaderWorkerSet would only change places.
    """
    owner = workload.thing.owner
    others = [one for one in found if owner is None or not owner.uid or _owner(one) != owner.uid]
    best = next((one for one in others if one.idle or one.workload.priority <= workload.priority), None)
    if best is None:
        return
    thing = best.workload.thing
    yield Remedy(
        f"Put `{best.title}` back in the queue ({_why(best)}): frees {said(resource, best.holds)}",
        patch(KIND, thing.name, '{"spec":{"active":false}}', namespace=thing.namespace),
        verified=False,
        cost=f"{_lost(best)}; set `active` to true again when there is room",
    )


def _owner(holder: Holder) -> str:
    owner = holder.workload.thing.owner
    return owner.uid if owner is not None else ""


def _why(best: Holder) -> str:
    if best.evicted:
        return "it was evicted and still holds quota"
    return "it holds quota and cannot run" if best.homeless else "the lowest priority, then the youngest"


def _lost(best: Holder) -> str:
    if best.idle:
        return "none of its pods does work now"
    if best.serves:
        return "it stops serving"
    return "its pods end: work since its last checkpoint is lost"


def larger(case: Case, workload: Workload, queue: str, short: Short, found: list[Holder]) -> Iterator[Remedy]:
    """A larger quota, where the nodes have all that it needs and nobody sits idle on quota."""
    left = max(0, *(one.left for one in short.cells), 0)
    free = room(case.view, short.resource)
    enough = free.total >= short.asked and free.largest >= workload.largest(short.resource)
    known = case.view.knows("nodes") and case.view.knows("pods")
    if not short.cells or any(one.idle for one in found) or not known or not enough or left >= short.asked:
        return
    yield Remedy(
        f"Raise the quota of `{queue}` by {said(short.resource, short.asked - left)}: {free.words}",
        kubectl("edit", "clusterqueues.kueue.x-k8s.io", queue),
        verified=False,
        cost="quota is a promise to a team: ask who gives it",
    )


def useless(case: Case, queue: str) -> tuple[str, ...]:
    thing = case.view.things("clusterqueues").get(queue)
    fields = case.fields(thing) if thing else None
    within = fields.text("spec", "preemption", "withinClusterQueue") if fields else ""
    never = ("A higher priority frees nothing: this queue never evicts (`withinClusterQueue: Never`).",)
    return ("More nodes do not help: quota is short, not nodes.", *(never if within == "Never" else ()))


def until(refusal: Refusal, found: list[Holder]) -> str:
    """Only what ends by itself is worth waiting for."""
    if refusal.preempting:
        number = refusal.preempting
        return f"the {count(number, 'workload')} that Kueue is evicting for it {'is' if number == 1 else 'are'} gone"
    ending = [one.title for one in found if not one.idle and not one.serves]
    if not ending or any(one.idle for one in found):
        return ""
    return f"{ending[0]} ends" if len(ending) == 1 else f"one of {names(ending)} ends"
