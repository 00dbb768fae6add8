"""What a workload asks of its queue, what is left there, who holds the rest: the sums behind a place in line."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.words import count, duration
from bot.why.amounts import name_of, number, said
from bot.why.case import Case
from bot.why.finding import Finding, Group, Level
from bot.why.kueue_borrowed import borrowed
from bot.why.kueue_line import Holder, described, holders, place
from bot.why.kueue_messages import Refusal, Why, parse
from bot.why.kueue_relief import larger, make_room, until, useless
from bot.why.kueue_short import Short, shortage
from bot.why.kueue_workload import Workload
from bot.why.room import room
from bot.why.shell import kubectl, quoted

HOLDERS_SHOWN = 5


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
    if found and found[0].idle:
        yield _idle(case, queue, short, found[0])
    elif not refusal.preempting:
        yield from borrowed(case, workload, queue, short.resource, short.cells, short.asked)


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
        f"{_held_back(refusal)}: it needs {said(short.resource, short.asked)} and {_called(queue)} has "
        f"{short.left or 'too few left'}{_old_word(short)}",
        evidence=tuple(filter(None, (_kueue_says(refusal), *_sums(short), *order, _evicted(case, workload)))),
        groups=(Group(f"Who holds {name_of(short.resource)} of {queue}", shown + more),) if found else (),
        remedies=tuple(_help(case, workload, queue, short, refusal, found)),
        useless=useless(case, queue),
        unknown=case.not_read("workloads", "clusterqueues"),
        until=until(refusal, found),
        weight=1,
        numbers={"asked": short.asked, "left": [one.left for one in short.cells], "place": mine},
    )


def _held_back(refusal: Refusal) -> str:
    if not refusal.preempting:
        return "Kueue holds it in line"
    return f"Kueue is evicting {count(refusal.preempting, 'workload')} to make room for it"


def _help(
    case: Case, workload: Workload, queue: str, short: Short, refusal: Refusal, found: list[Holder]
) -> Iterator[Remedy]:
    """Nothing where Kueue makes room by itself."""
    if not refusal.preempting:
        yield from larger(case, workload, queue, short, found)
        yield from make_room(workload, short.resource, found)


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
    holds = f"`{holder.title}` holds {said(short.resource, holder.holds)} of that quota"
    if pod is None:
        sentence = f"{holds} and has no pods: Kueue evicted it and left it half way"
        return Finding("kueue.idle-quota", sentence, Level.ROOT)
    asked, free = pod.requests.get(short.resource, 0), room(case.view, short.resource)
    return Finding(
        "kueue.idle-quota",
        f"{holds} and cannot run: its pod `{pod.name}` needs {said(short.resource, asked)} on one node, while "
        f"{free.words}",
        Level.ROOT,
        evidence=(f"quota of `{queue}` is a sum: it does not see how much is free on one node",),
        numbers={"free": free.total, "largest": free.largest},
    )
