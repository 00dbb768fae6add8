"""A Volcano queue against what a group asks for, resource by resource: what fits, what does not, what is not listed.

A queue that lists some resources in its capability and not `pods` has, in releases that count pods, room for none:
volcano-sh/volcano issue 3426.
"""

from collections.abc import Iterable, Iterator

from bot.domain.answer import Remedy
from bot.domain.words import names
from bot.why.amounts import name_of, number, said, scarcest_first
from bot.why.case import Case
from bot.why.finding import Finding, Group
from bot.why.shell import kubectl, quoted
from bot.why.volcano_group import VolcanoGroup, VolcanoQueue, groups_in

KIND = "queues.scheduling.volcano.sh"
HOLDERS_SHOWN = 5
_NEVER_LIMITED = ("cpu", "memory")  # by a capability that does not list them


def compared(case: Case, group: VolcanoGroup, queue: VolcanoQueue, message: str) -> Finding | None:
    """None where the queue sets no limit that the group could meet."""
    asks, most, used = group.asks, queue.capability, queue.allocated
    if not asks or not most:
        return None
    never = [one for one in asks if one in most and asks[one] > most[one]]
    full = [one for one in asks if one in most and used.get(one, 0) + asks[one] > most[one]]
    unlisted = [one for one in asks if one not in most and one not in _NEVER_LIMITED]
    fits = [one for one in asks if one in most and one not in full]
    sums = tuple(_sums(scarcest_first(asks), asks, most, used))
    told = (f"Volcano says {quoted(message)}",) if message else ()
    if never:
        return _never(group, queue, scarcest_first(never), (*sums, *told))
    if full:
        return _full(case, group, queue, scarcest_first(full), (*sums, *told))
    if unlisted and "quota insufficient" in message:
        return _unlisted(queue, unlisted, scarcest_first(fits), asks, most, (*sums, *told))
    return None


def _sums(resources: Iterable[str], asks: dict[str, int], most: dict[str, int], used: dict[str, int]) -> Iterator[str]:
    for one in list(resources)[:6]:
        if one not in most:
            yield f"{name_of(one)}: asks for {number(one, asks[one])}, the capability does not list it"
            continue
        verdict = "fits" if used.get(one, 0) + asks[one] <= most[one] else "does not fit"
        yield (
            f"{name_of(one)}: asks for {number(one, asks[one])}, {number(one, used.get(one, 0))} of "
            f"{number(one, most[one])} in use: {verdict}"
        )


def _unlisted(
    queue: VolcanoQueue,
    missing: list[str],
    fits: list[str],
    asks: dict[str, int],
    most: dict[str, int],
    evidence: tuple[str, ...],
) -> Finding:
    first = "pods" if "pods" in missing else scarcest_first(missing)[0]
    inside = names([f"{number(one, asks[one])} of {number(one, most[one])} {name_of(one)}" for one in fits], 4)
    line = f'{{"spec":{{"capability":{{"{first}":"{_roomy(first, asks[first])}"}}}}}}'
    return Finding(
        "volcano.unlisted",
        f"the capability of queue `{queue.thing.name}` does not list `{first}`, so it has room for 0 of them and "
        f"never lets the group in, while {inside} fit{'s' if len(fits) == 1 else ''}",
        evidence=evidence,
        remedies=(
            Remedy(
                f"Add `{first}` to the queue's capability",
                kubectl("patch", KIND, queue.thing.name, "--type", "merge", "-p", line),
                verified=False,
                cost="none: all else stays as it is",
            ),
            Remedy(
                f"Or upgrade Volcano to a release in which what is not listed is not limited ({first})", verified=False
            ),
        ),
        useless=("More GPUs or a larger GPU capability do not help: that part fits.",),
        weight=2,
        numbers={"missing": missing},
    )


def _roomy(resource: str, asked: int) -> int:
    """Pods are cheap: a round number that will do for a while; other resources as many as are asked for."""
    return 100 if resource == "pods" and asked <= 100 else asked


def _never(group: VolcanoGroup, queue: VolcanoQueue, resources: list[str], evidence: tuple[str, ...]) -> Finding:
    first = resources[0]
    return Finding(
        "volcano.too-big",
        f"the group asks for {said(first, group.asks[first])} and queue `{queue.thing.name}` may never use more than "
        f"{number(first, queue.capability[first])}",
        evidence=evidence,
        remedies=(
            Remedy(
                f"Ask for less, or raise the capability of `{queue.thing.name}`",
                kubectl("edit", KIND, queue.thing.name),
            ),
        ),
        useless=("Waiting does not help: it would not fit into the empty queue.",),
        weight=2,
    )


def _full(
    case: Case, group: VolcanoGroup, queue: VolcanoQueue, resources: list[str], evidence: tuple[str, ...]
) -> Finding:
    first = resources[0]
    left = max(0, queue.capability[first] - queue.allocated.get(first, 0))
    holders = [one for one in groups_in(case, queue.thing.name) if one.asks.get(first)]
    holders.sort(key=lambda one: (one.asks[first], one.thing.created), reverse=True)
    shown = tuple(
        f"{one.thing.key}: {said(first, one.asks[first])} at least, {one.phase}" for one in holders[:HOLDERS_SHOWN]
    )
    return Finding(
        "volcano.queue-full",
        f"queue `{queue.thing.name}` has {number(first, left)} of {number(first, queue.capability[first])} "
        f"{name_of(first)} left and the group asks for {said(first, group.asks[first])}",
        evidence=evidence,
        groups=(Group(f"Who holds {name_of(first)} of {queue.thing.name}", shown),) if shown else (),
        remedies=(
            Remedy(
                f"Raise the capability of `{queue.thing.name}`, if the nodes have it",
                kubectl("edit", KIND, queue.thing.name),
                verified=False,
            ),
        ),
        useless=("More nodes do not help: the queue's own limit is what is short.",),
        until=f"groups of `{queue.thing.name}` end" if shown else "",
        weight=1,
    )


def inside(case: Case, what: str) -> Iterator[tuple[str, str]]:
    """Groups that were let in and do not run, oldest first, with what they ask for of the resource that is named."""
    for thing in sorted(case.view.things("podgroups").values(), key=lambda one: (one.created, one.key)):
        one = VolcanoGroup(thing, case.fields(thing))
        asks = [name for name in scarcest_first(one.asks) if name in what] or scarcest_first(one.asks)[:1]
        if one.phase == "Inqueue" and asks:
            yield thing.key, f"{said(asks[0], one.asks[asks[0]])}, {one.phase} in `{one.queue}`"
