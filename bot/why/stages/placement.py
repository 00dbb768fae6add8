"""Placement: every filter of kube-scheduler on every node, and what that means for people.

Nodes that could never hold the pod (no GPU at all, another product than it asks for) are counted apart from those that
could: of these it is told what blocks how many, who holds what is needed, and what would help, each tried on a copy of
the cluster. Where the scheduler's own message says something else than our evaluation, that is told, never hidden.
"""

from collections.abc import Iterator

from bot.domain.answer import HolderLine
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.finding import Finding, Group, Stage
from bot.why.placement import agreement, before_nodes, beyond, holders, shortage
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.blockers import resource_name
from bot.why.placement.headline import headline
from bot.why.placement.nodes import NodeGroup, Survey, counted, survey, what
from bot.why.placement.remedies import advise, at_once

NEEDS = frozenset(
    """
    nodes pods namespaces replicasets jobs priorityclasses poddisruptionbudgets persistentvolumeclaims
    persistentvolumes storageclasses csinodes csidrivers csistoragecapacities volumeattachments resourceslices
    resourceclaims deviceclasses limitranges daemonsets events
    """.split()
)
GROUPS_SHOWN = 6
HOLDERS_SHOWN = 4


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or not case.waits or pod.gated or pod.deleted:
        return
    unknown = case.not_read("nodes", "pods")
    if not case.view.knows("nodes"):
        yield Finding(
            "placement.unknown",
            "where it could run cannot be told, because nodes could not be read",
            evidence=agreement.last_word(case),
            unknown=unknown,
        )
        return
    verdict = case.verdict
    assert verdict is not None
    if (rejection := verdict.preenqueue or verdict.prefilter) is not None:
        yield from before_nodes.findings(case, rejection)
        return
    if verdict.feasible and unknown:
        sentence = "whether there is room for it cannot be told, because not all pods could be read"
        yield Finding("placement.unknown", sentence, evidence=agreement.last_word(case), unknown=unknown)
        return
    if verdict.feasible:
        yield beyond.finding(case, verdict.feasible) or _fits(case, verdict.feasible)
        return
    found = survey(pod, case.state, verdict)
    yield _blocked(case, found)
    yield from agreement.findings(case, found)


def _fits(case: Case, nodes: tuple[str, ...]) -> Finding:
    """Nothing keeps it out now: it was made this moment, or the scheduler has not looked again."""
    assert case.pod is not None
    age = case.age_seconds(case.pod.created)
    young = age is not None and age < 30
    wait = (
        "it was made a moment ago" if young else "the scheduler looks again within 5 min, sooner when something changes"
    )
    sentence = f"by our own reading it fits on {names(nodes)} now{', and ' + wait if young else ''}"
    evidence = () if young else (f"All filters pass on {count(len(nodes), 'node')}; {wait}", *agreement.last_word(case))
    return Finding(
        "placement.fits",
        sentence,
        evidence=evidence,
        until="" if young else "the scheduler looks at it again, within 5 min",
        weight=-20,
    )


def _blocked(case: Case, found: Survey) -> Finding:
    pod = case.pod
    assert pod is not None
    told = headline(found)
    advice = at_once(found) if case.brief else advise(found, case.policy, case.now)
    preemption = found.verdict.preemption
    until = advice.until
    if preemption is not None:
        who = names([victim.key for victim in preemption.victims])
        until = f"the scheduler has evicted {who} on {preemption.node} for it, which may be ended for a higher priority"
    if pod.nominated:
        until = f"pods of lower priority on {pod.nominated} have been evicted for it"
    return Finding(
        told.id,
        told.sentence,
        evidence=told.evidence,
        groups=() if case.brief else tuple(_groups(case, found)),
        remedies=advice.remedies,
        useless=(*told.useless, *advice.useless),
        unknown=case.not_read("pods", *_told_by(case)),
        until=until,
        numbers=told.numbers,
    )


def _told_by(case: Case) -> tuple[str, ...]:
    """The kinds that this pod's placement hangs on: without them the evaluation is half blind."""
    assert case.pod is not None
    volumes = ("persistentvolumeclaims", "persistentvolumes", "storageclasses") if case.pod.volumes else ()
    devices = ("resourceclaims", "resourceslices", "deviceclasses") if case.pod.spec.claims else ()
    return (*volumes, *devices)


def _groups(case: Case, found: Survey) -> Iterator[Group]:
    lines = [_line(found, group) for group in found.groups[:GROUPS_SHOWN]]
    rest = found.groups[GROUPS_SHOWN:]
    if rest:
        lines.append(f"{count(sum(len(group.nodes) for group in rest), 'node')}: other reasons")
    if found.never:
        lines.append(f"Not counted: {_never(found)}")
    if lines and (len(found.possible) != 1 or found.never):  # the verdict says it of a single node
        title = f"Where it could run ({_possible(found)})" if found.possible else "Nodes"
        yield Group(title, tuple(lines))
    resource = _missing(found)
    if resource:
        yield from _held(case, found, resource)


def _possible(found: Survey) -> str:
    """`12 H200 nodes`, or `12 nodes` where they are of several sorts."""
    sorts = {what(found.state.info(name).node) for name in found.possible}
    return count(len(found.possible), sorts.pop() if found.main and len(sorts) == 1 else "node")


def _never(found: Survey) -> str:
    """`13 nodes without …` in one piece where several sorts of nodes lack the same."""
    lacking: dict[str, list[str]] = {}
    for why, nodes in found.never.items():
        sort, _, lack = why.partition(" node without ")
        lacking.setdefault(lack, []).append(f"{len(nodes)} {sort}" if lack else counted(len(nodes), why))
    told = []
    for lack, sorts in lacking.items():
        told.append(f"{names(sorts, shown=4)} nodes without {lack}" if lack else names(sorts, shown=4))
    return ", ".join(told[:4])


def _line(found: Survey, group: NodeGroup) -> str:
    """`9 nodes: too few GPUs free: 4, 3, 2, 1 (gpu-1, gpu-2 and 7 more)`."""
    told = [_said(found, group, one) for one in group.blockers]
    room = ""
    if found.main and not group.kinds & {Kind.SHORT, Kind.SMALL, Kind.NONE}:
        room = f", {shortage.free_words(found, group, found.main)}"
    which = f" ({names(group.nodes)})" if len(group.nodes) <= 3 else f" ({names(group.nodes, shown=2)})"
    return f"{count(len(group.nodes), 'node')}: {' and '.join(told)}{room}{which}"


def _said(found: Survey, group: NodeGroup, one: Blocker) -> str:
    """`cordoned`; of what is short also how much there is: `too few GPUs free: 4, 3, 2`, or `no GPUs free`."""
    if one.kind is not Kind.SHORT or one.about == "pods":
        return one.words
    free = found.free_on_each(one.about)
    if all(free[name] <= 0 for name in group.nodes):
        return f"no {resource_name(one.about)} free"
    return f"{one.words}: {shortage.free_list(found, group, one.about)}"


def _missing(found: Survey) -> str:
    """The resource whose holders are of interest: one that is short somewhere, GPUs first."""
    short = {one.about for group in found.groups for one in group.blockers if one.kind is Kind.SHORT}
    if found.main in short:
        return found.main
    return next(iter(sorted(short - {"pods"})), "")


def _held(case: Case, found: Survey, resource: str) -> Iterator[Group]:
    """Of the two nodes that need least."""
    nodes = [name for group in found.groups if Kind.SHORT in group.kinds for name in group.nodes]
    nodes = [name for name in nodes if case.state.info(name).node.allocatable.get(resource)]
    free = found.free_on_each(resource)
    nodes.sort(key=lambda name: -free[name])
    pods = [pod for name in nodes[:2] for pod in case.state.info(name).live]
    assert case.pod is not None
    listed = holders.holders(case.view, case.policy, pods, resource, case.pod.priority)
    if listed:
        title = f"Who holds {names(nodes[:2])}"
        lines = [holders.line(one, resource, case.now) for one in listed[:HOLDERS_SHOWN]]
        if len(listed) > HOLDERS_SHOWN:
            lines.append(f"and {len(listed) - HOLDERS_SHOWN} more: `/gpu status --by owner`")
        numbers = tuple(HolderLine(one.title, {resource: one.amount}) for one in listed)
        yield Group(title, tuple(lines), numbers)


STAGE = Stage("placement", 70, judge, needs=NEEDS, docs=__doc__ or "")
