"""A queue's own quota in the hands of its neighbours: what it may take back, and by whose leave.

Queues of one cohort borrow what others do not use. Whether a queue evicts borrowers to get its own quota back is
`spec.preemption.reclaimWithinCohort`, and the default is never:
kubernetes-sigs/kueue:apis/kueue/v1beta1/clusterqueue_types.go (ClusterQueuePreemption).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.words import count, names
from bot.why.amounts import name_of, number
from bot.why.case import Case
from bot.why.finding import Finding, Group, Level
from bot.why.kueue_line import Holder, described, holders
from bot.why.kueue_quota import Quota, cohort_of, quotas
from bot.why.kueue_relief import make_room
from bot.why.kueue_workload import Workload
from bot.why.shell import patch

KIND = "clusterqueues.kueue.x-k8s.io"
HOLDERS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Borrower:
    """Another queue of the cohort, and how much more than its own it uses."""

    queue: str
    amount: int


def borrowed(
    case: Case, workload: Workload, queue: str, resource: str, cells: tuple[Quota, ...], asked: int
) -> Iterator[Finding]:
    """Only where the workload asks for no more than what is the queue's own."""
    own = [one for one in cells if one.cohort and asked <= one.nominal - one.used]
    flavors = {one.flavor for one in own}
    found = sorted(
        _borrowers(case, queue, resource, flavors, own[0].cohort) if own else (), key=lambda one: -one.amount
    )
    if not found:
        return
    held = [one for other in found for one in holders(case, other.queue, flavors, resource)]
    yield _told(case, workload, queue, resource, found, held)


def _borrowers(case: Case, queue: str, resource: str, flavors: set[str], cohort: str) -> Iterator[Borrower]:
    for name, thing in case.view.things("clusterqueues").items():
        if name == queue or cohort_of(case.fields(thing)) != cohort:
            continue
        over = sum(
            max(0, one.used - one.nominal)
            for one in quotas(case, name)
            if one.resource == resource and one.flavor in flavors
        )
        if over:
            yield Borrower(name, over)


def _told(
    case: Case, workload: Workload, queue: str, resource: str, found: list[Borrower], held: list[Holder]
) -> Finding:
    policy = _policy(case, queue)
    who = names([f"`{one.queue}`" for one in found], 3)
    amount = number(resource, sum(one.amount for one in found))
    verb = "has" if len(found) == 1 else "have"
    why = {
        "Never": f", and `{queue}` takes nothing back (`reclaimWithinCohort: Never`)",
        "LowerPriority": f", and `{queue}` takes back only from workloads of lower priority "
        "(`reclaimWithinCohort: LowerPriority`)",
    }.get(policy, "")
    shown = tuple(described(case, one) for one in held[:HOLDERS_SHOWN])
    more = (f"and {count(len(held) - HOLDERS_SHOWN, 'other')}",) if len(held) > HOLDERS_SHOWN else ()
    return Finding(
        "kueue.borrowed",
        f"What it asks for is `{queue}`'s own: ClusterQueue {who} {verb} borrowed {amount} {name_of(resource)} of the "
        f"cohort{why}",
        Level.ROOT,
        groups=(Group(f"Who holds {name_of(resource)} of {names([one.queue for one in found], 3)}", (*shown, *more)),),
        remedies=(*_reclaim(queue, policy, who), *make_room(workload, resource, held)),
        numbers={"borrowed": {one.queue: one.amount for one in found}},
    )


def _policy(case: Case, queue: str) -> str:
    thing = case.view.things("clusterqueues").get(queue)
    return (case.fields(thing).text("spec", "preemption", "reclaimWithinCohort") if thing else "") or "Never"


def _reclaim(queue: str, policy: str, who: str) -> Iterator[Remedy]:
    if policy == "Any":
        return
    change = '{"spec":{"preemption":{"reclaimWithinCohort":"Any"}}}'
    yield Remedy(
        f"Let `{queue}` take its own quota back",
        patch(KIND, queue, change),
        verified=False,
        cost=f"Kueue then evicts workloads of {who} that run on borrowed quota, now and whenever it is needed again",
    )
