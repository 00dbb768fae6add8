"""Strict order: the first in line holds up all others, also those that would fit.

kubernetes-sigs/kueue:apis/kueue/v1beta1/clusterqueue_types.go (QueueingStrategy).
"""

from bot.domain.answer import Remedy
from bot.why.amounts import said, scarcest_first
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.kueue_line import line
from bot.why.kueue_messages import parse
from bot.why.kueue_quota import quotas
from bot.why.kueue_short import Short, shortage
from bot.why.kueue_workload import Workload
from bot.why.shell import kubectl, quoted


def order(case: Case, workload: Workload, queue: str) -> Finding | None:
    """The cause where nothing else keeps it out; else something that is in the way next."""
    first = _first(case, workload, queue)
    if first is None:
        return None
    message = workload.fields.condition("QuotaReserved").text("message")
    short = shortage(case, workload, queue, parse(message))
    alone = short is None or short.fits
    title = f"`{first.thing.namespace}/{first.job}`"
    told = first.fields.condition("QuotaReserved").text("message")
    would = _would_fit(case, workload, queue)
    return Finding(
        "kueue.strict-order",
        f"it waits behind {title}, because ClusterQueue `{queue}` keeps strict order (StrictFIFO){would}"
        if alone
        else f"ClusterQueue `{queue}` keeps strict order (StrictFIFO), and {title} is before it in line",
        Level.CAUSE if alone else Level.ALSO,
        evidence=(f"{title} waits: {quoted(told)}",) if told else (),
        remedies=(
            Remedy(
                f"See what the first in line waits for: ask `why workload/{first.thing.key}`",
                kubectl("describe", "workloads.kueue.x-k8s.io", first.name, namespace=first.thing.namespace),
            ),
            Remedy(
                "Or let smaller ones pass: set `queueingStrategy: BestEffortFIFO`",
                kubectl("edit", "clusterqueues.kueue.x-k8s.io", queue),
                verified=False,
                cost="a large job may then wait very long",
            ),
        ),
        useless=("More quota for its own sake does not help: its turn comes after the first in line.",)
        if alone
        else (),
        weight=1,
    )


def _first(case: Case, workload: Workload, queue: str) -> Workload | None:
    thing = case.view.things("clusterqueues").get(queue)
    ahead = line(case, queue)
    if thing is None or case.fields(thing).text("spec", "queueingStrategy") != "StrictFIFO" or not ahead:
        return None
    return None if ahead[0].thing.key == workload.thing.key else ahead[0]


def _would_fit(case: Case, workload: Workload, queue: str) -> str:
    """What it asks for and what is left, where that would do."""
    cells, asks = quotas(case, queue), workload.asks
    for resource in scarcest_first(asks):
        mine = tuple(one for one in cells if one.resource == resource)
        if mine and asks[resource]:
            asked = Short(resource, asks[resource], mine)
            return f"; the {said(resource, asked.asked)} it needs would fit, {asked.left}" if asked.fits else ""
    return ""
