"""What makes room in a full queue, what does not, and how long it may take by itself."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.words import count, names
from bot.why.amounts import said
from bot.why.case import Case
from bot.why.kueue_line import Holder
from bot.why.kueue_messages import Refusal
from bot.why.kueue_workload import Workload
from bot.why.shell import patch

KIND = "workloads.kueue.x-k8s.io"


def make_room(workload: Workload, resource: str, found: list[Holder]) -> Iterator[Remedy]:
    """One holder that is best to end, if any may be: never one of a higher priority than the one that waits."""
    best = next((one for one in found if one.homeless or one.workload.priority <= workload.priority), None)
    if best is None:
        return
    thing = best.workload.thing
    why = "it holds quota and cannot run" if best.homeless else "the lowest priority, then the youngest"
    lost = "none of its pods does work now" if best.homeless else "its pods end: work since its last checkpoint is lost"
    yield Remedy(
        f"Put `{best.title}` back in the queue ({why}): frees {said(resource, best.holds)}",
        patch(KIND, thing.name, '{"spec":{"active":false}}', namespace=thing.namespace),
        verified=False,
        cost=f"{lost}; set `active` to true again when there is room",
    )


def useless(case: Case, queue: str) -> tuple[str, ...]:
    thing = case.view.things("clusterqueues").get(queue)
    fields = case.fields(thing) if thing else None
    within = fields.text("spec", "preemption", "withinClusterQueue") if fields else ""
    never = ("A higher priority frees nothing: this queue never evicts (`withinClusterQueue: Never`).",)
    return ("More nodes do not help: quota is short, not nodes.", *(never if within == "Never" else ()))


def until(refusal: Refusal, found: list[Holder]) -> str:
    if refusal.preempting:
        return f"the {count(refusal.preempting, 'workload')} that Kueue is evicting for it are gone"
    placed = [one.title for one in found if one.homeless is None]
    return f"one of {names(placed)} ends" if placed and not any(one.homeless for one in found) else ""
