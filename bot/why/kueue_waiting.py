"""What a workload asks of its queue, what is left there, who holds the rest: the sums behind a place in line."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.words import count, duration
from bot.why.amounts import amounts_of, name_of, number, said, scarcest_first
from bot.why.case import Case
from bot.why.finding import Finding, Group, Level
from bot.why.kueue_line import Holder, described, holders, place
from bot.why.kueue_messages import Refusal, Why, parse
from bot.why.kueue_quota import Quota, quotas
from bot.why.kueue_relief import make_room, until, useless
from bot.why.kueue_workload import Workload
from bot.why.room import room
from bot.why.shell import kubectl, quoted

HOLDERS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Short:
    """What is short: `asked` of `resource`; `cells` are the flavors that could give it, `flavors` their names."""

    resource: str
    asked: int
    cells: tuple[Quota, ...]
    flavors: frozenset[str] = frozenset()

    @property
    def never(self) -> bool:
        return bool(self.cells) and all(one.most < self.asked for one in self.cells)

    @property
    def fits(self) -> bool:
        """Its own numbers say that there is room: Kueue's word is old, or something above the queue holds it back."""
        return any(one.left >= self.asked for one in self.cells)

    @property
    def left(self) -> str:
        """`0 of 32 are left (flavor default)`, one such part for each flavor."""
        parts = [
            f"{number(self.resource, max(0, one.left))} of {number(self.resource, one.most)} left in flavor "
            f"`{one.flavor}`"
            for one in self.cells
        ]
        return " and ".join(parts[:3])


def quota(case: Case, workload: Workload, queue: str) -> Iterator[Finding]:
    """All that has to do with amounts, or nothing where amounts are not what is short."""
    refusal = parse(workload.fields.condition("QuotaReserved").text("message"))
    short = shortage(case, workload, queue, refusal)
    if short is None:
        return
    if short.never or refusal.of(Why.TOO_BIG):
        yield _never(case, workload, queue, short, refusal)
        return
    found = holders(case, queue, short.flavors, short.resource)
    yield _used(case, workload, queue, short, refusal, found)
    if found and found[0].homeless is not None:
        yield _idle(case, queue, short, found[0])


def shortage(case: Case, workload: Workload, queue: str, refusal: Refusal) -> Short | None:
    """The scarcest of the resources that are short: as Kueue says, else as its objects add up."""
    cells = quotas(case, queue)
    asks = workload.asks
    named = {one.resource for one in refusal.reasons if one.why in (Why.USED, Why.TOO_BIG)}
    if not named and not refusal.reasons:
        named = {name for name in asks if _all_short(cells, name, asks[name])}
    if not named:
        return None
    resource = scarcest_first(named)[0]
    told = [one for one in refusal.reasons if one.resource == resource]
    flavors = frozenset(one.flavor for one in told) or frozenset(
        one.flavor for one in cells if one.resource == resource
    )
    mine = tuple(one for one in cells if one.resource == resource and one.flavor in flavors)
    missing = amounts_of({resource: next((one.missing or one.asked for one in told), "")})
    return Short(resource, asks.get(resource) or missing.get(resource, 0), mine, flavors)


def _all_short(cells: list[Quota], resource: str, asked: int) -> bool:
    mine = [one for one in cells if one.resource == resource]
    return bool(mine) and all(one.left < asked for one in mine)


def _never(case: Case, workload: Workload, queue: str, short: Short, refusal: Refusal) -> Finding:
    most = max((one.most for one in short.cells), default=None)
    cohort = next((one.cohort for one in short.cells if one.cohort), "")
    told = next((one.most for one in refusal.of(Why.TOO_BIG) if one.most), "")
    limit = number(short.resource, most) if most is not None else told
    lent = f", with all that cohort `{cohort}` could lend" if cohort else ""
    return Finding(
        "kueue.too-big",
        f"Kueue can never admit it: it asks for {said(short.resource, short.asked)} and {_called(queue)} can have at "
        f"most {limit}{lent}",
        evidence=tuple(filter(None, (_kueue_says(refusal), *_sums(short)))),
        remedies=(
            Remedy(f"Ask for at most {limit} {name_of(short.resource)}: fewer or smaller pods", verified=False),
            Remedy(
                f"Raise the quota of `{queue}`, if the nodes are there",
                kubectl("edit", "clusterqueues.kueue.x-k8s.io", queue),
                verified=False,
            ),
        ),
        useless=("Waiting does not help, nor does a higher priority: the request is larger than the whole quota.",),
        weight=2,
        numbers={"asked": short.asked, "most": most},
    )


def _used(case: Case, workload: Workload, queue: str, short: Short, refusal: Refusal, found: list[Holder]) -> Finding:
    mine, total = place(case, workload, queue)
    order = (
        (f"{_ordinal(mine)} of {total} in line, by priority (its own: {workload.priority}) and age",)
        if total > 1 and mine
        else ()
    )
    shown = tuple(described(case, one) for one in found[:HOLDERS_SHOWN])
    more = (f"and {count(len(found) - HOLDERS_SHOWN, 'other')}",) if len(found) > HOLDERS_SHOWN else ()
    return Finding(
        "kueue.quota",
        f"Kueue holds it in line: it needs {said(short.resource, short.asked)} and {_called(queue)} has "
        f"{short.left or 'too few left'}{_old_word(short)}",
        evidence=tuple(filter(None, (_kueue_says(refusal), *_sums(short), *order, _evicted(case, workload)))),
        groups=(Group(f"Who holds {name_of(short.resource)} of {queue}", shown + more),) if found else (),
        remedies=tuple(make_room(workload, short.resource, found)),
        useless=useless(case, queue),
        unknown=case.not_read("workloads", "clusterqueues"),
        until=until(refusal, found),
        weight=1,
        numbers={"asked": short.asked, "left": [one.left for one in short.cells], "place": mine},
    )


def _called(queue: str) -> str:
    return f"ClusterQueue `{queue}`" if queue else "its ClusterQueue"


def _old_word(short: Short) -> str:
    """Where the numbers contradict what Kueue said."""
    return " by now: it should be let in soon, unless a cohort above the queue is full" if short.fits else ""


def _kueue_says(refusal: Refusal) -> str:
    return f"Kueue says {quoted(refusal.text)}" if refusal.text else ""


def _evicted(case: Case, workload: Workload) -> str:
    """That it ran before, and what ended it."""
    told = workload.fields.condition("Evicted")
    if told.text("status") != "True":
        return ""
    age = case.age_seconds(told.text("lastTransitionTime"))
    ago = f" {duration(age)} ago" if age is not None else ""
    return f"it was let in before and put back{ago} ({told.text('reason')}): {quoted(told.text('message'))}"


def _sums(short: Short) -> Iterator[str]:
    for one in short.cells[:2]:
        lent = f", at most {number(one.resource, one.most)} with borrowing in `{one.cohort}`" if one.cohort else ""
        yield (
            f"flavor `{one.flavor}`: {number(one.resource, one.used)} of {number(one.resource, one.nominal)} "
            f"{name_of(one.resource)} are reserved{lent}"
        )


def _ordinal(number_: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number_, f"number {number_}")


def _idle(case: Case, queue: str, short: Short, holder: Holder) -> Finding:
    pod = holder.homeless
    asked = pod.requests.get(short.resource, 0) if pod else 0
    free = room(case.view, short.resource)
    return Finding(
        "kueue.idle-quota",
        f"`{holder.title}` holds {said(short.resource, holder.holds)} of that quota and cannot run: its pod "
        f"`{pod.name if pod else ''}` needs {said(short.resource, asked)} on one node, while {free.words}",
        Level.ROOT,
        evidence=(f"quota of `{queue}` is a sum: it does not see how much is free on one node",),
        numbers={"free": free.total, "largest": free.largest},
    )
