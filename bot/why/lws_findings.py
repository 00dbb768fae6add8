"""What is wrong with the groups of a LeaderWorkerSet: placed in part, workers that are not made yet."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import Node
from bot.domain.thing import Thing
from bot.domain.words import count, names
from bot.gpu.kind import is_gpu_resource
from bot.why.amounts import added, name_of, number, said, scarcest_first
from bot.why.case import Case
from bot.why.finding import Finding, Group
from bot.why.gang_places import closed_nodes, places
from bot.why.lws_groups import Group as PodGroup
from bot.why.lws_groups import groups_of, is_leader, members, packed, set_of, size_of
from bot.why.lws_later import workers_later
from bot.why.room import free_on, usable
from bot.why.shell import kubectl

GROUPS_SHOWN = 6


def incomplete(case: Case) -> Iterator[Finding]:
    """Nothing where every group is whole, or where nothing of it waits for a node."""
    lws = _set(case)
    if lws is None:
        return
    groups = groups_of(case.view, lws)
    if case.subject.pod is not None and any(one.complete and case.subject.pod in one.pods for one in groups):
        return  # whoever asks about a group that serves is not told about the others
    if any(one.waiting for one in groups) and any(one.placed and not one.whole for one in groups):
        yield _torn(case, lws, groups)
        if (closed := _closed(case, [one for one in groups if not one.whole])) is not None:
            yield closed
    elif (late := workers_later(case, lws, groups)) is not None:
        yield late


def _set(case: Case) -> Thing | None:
    thing = case.subject.thing
    if thing is not None and thing.kind == "LeaderWorkerSet":
        return thing
    found = set_of(case.view, case.pod) if case.pod else None
    return found or next((one for one in case.owners if one.kind == "LeaderWorkerSet"), None)


def _torn(case: Case, lws: Thing, groups: list[PodGroup]) -> Finding:
    total = max(lws.fields.number("spec", "replicas") or 0, len(groups))
    complete = sum(one.complete for one in groups)
    torn = [one for one in groups if not one.whole]
    resource = _resource(lws)
    fit = _fitting(case, lws, groups, total)
    return Finding(
        "groups.torn",
        f"{_counted(case, lws, complete, total)}{_who_holds(torn, resource)}{_would_fit(fit, complete, total)}",
        evidence=tuple(filter(None, (_need(lws, resource, total), _largest(case, resource), *_unplaced(torn)))),
        groups=(Group(f"Groups of {lws.name}, {size_of(lws)} pods each", tuple(_lines(groups))),),
        remedies=tuple(_help(lws, fit, complete, total)),
        useless=_useless(torn),
        unknown=case.not_read("pods", "nodes"),
        weight=2,
        numbers={"groups": total, "complete": complete, "fit": fit},
    )


def _useless(torn: list[PodGroup]) -> tuple[str, ...]:
    unfinished = f"{count(len(torn), 'group')} are unfinished, and a leader without its workers serves nothing"
    return (f"One more GPU or node helps at most one group: {unfinished}.",) if len(torn) > 1 else ()


def _closed(case: Case, torn: list[PodGroup]) -> Finding | None:
    """Nodes that would take the rest and are closed: to open one is better than to give up a group."""
    tried = (places(case, list(one.pods)) for one in torn)
    return next((closed_nodes(case, one) for one in tried if one is not None and one.kept_away), None)


def _typed(lws: Thing) -> str:
    return f"lws/{lws.key}"


def _resource(lws: Thing) -> str:
    """What is scarce for its groups: GPUs where it asks for any."""
    asked = scarcest_first(added(members(lws)))
    return next((one for one in asked if is_gpu_resource(one) or "/" in one), next(iter(asked), ""))


def _counted(case: Case, lws: Thing, complete: int, total: int) -> str:
    """Left out where the set itself is asked about: its standing says it already."""
    if case.subject.thing is lws:
        return ""
    return f"{complete} of {count(total, 'group')} of `{_typed(lws)}` {'is' if complete == 1 else 'are'} complete: "


def _who_holds(torn: list[PodGroup], resource: str) -> str:
    """Who of the unfinished groups has a node, what it holds, and what it waits for."""
    placed = [pod for one in torn for pod in one.placed]
    leaders_only = all(is_leader(pod) for pod in placed)
    held = sum(pod.requests.get(resource, 0) for pod in placed)
    who = count(len(placed), "leader" if leaders_only else "pod")
    one = len(placed) == 1
    holds = f"{'holds' if one else 'hold'} {said(resource, held)}" if held else f"{'has' if one else 'have'} a node"
    waiting = count(sum(len(one.waiting) for one in torn), "worker" if leaders_only else "pod")
    whose = "" if leaders_only else " of unfinished groups"
    return f"{who}{whose} {holds}, and the {waiting} needed beside {'it' if one else 'them'} cannot be placed"


def _would_fit(fit: int | None, complete: int, total: int) -> str:
    if fit is None or fit >= total:
        return ""
    if fit > complete:
        return f"; {count(fit, 'complete group')} would fit"
    return "; no further group would fit"


def _need(lws: Thing, resource: str, total: int) -> str:
    each = added(members(lws)).get(resource, 0)
    if not each:
        return ""
    whole = number(resource, each * total)
    every = f", all {total} groups {whole}" if total > 1 else ""
    return f"a group needs {said(resource, each)} ({count(size_of(lws), 'pod')}){every}"


def _largest(case: Case, resource: str) -> str:
    there = [node.allocatable.get(resource, 0) for node in case.view.nodes.values() if usable(node)]
    if not resource or not any(there):
        return ""
    nodes = sum(1 for one in there if one)
    return f"{count(nodes, 'usable node')} offer {number(resource, sum(there))} {name_of(resource)} in all"


def _unplaced(torn: list[PodGroup]) -> Iterator[str]:
    waiting = [pod for one in torn for pod in one.waiting]
    if waiting:
        told = waiting[0].condition("PodScheduled")
        yield f"waiting: {names([pod.name for pod in waiting])}" + (f" ({told.reason})" if told and told.reason else "")


def _lines(groups: list[PodGroup]) -> Iterator[str]:
    for one in groups[:GROUPS_SHOWN]:
        where = names([pod.node for pod in one.placed], 3)
        state = "complete" if one.complete else "all placed, not ready" if one.whole else "unfinished"
        yield f"{one.index}: {state}, {len(one.placed)} of {one.size} placed" + (f" ({where})" if where else "")
    if len(groups) > GROUPS_SHOWN:
        yield f"and {count(len(groups) - GROUPS_SHOWN, 'more group')}"


def _fitting(case: Case, lws: Thing, groups: list[PodGroup], most: int) -> int | None:
    """How many whole groups there is room for, its own pods set aside; None where nodes or pods are not known."""
    if not case.view.knows("nodes") or not case.view.knows("pods"):
        return None
    free = {node.name: free_on(case.view, node) for node in _eligible(case)}
    for one in groups:
        for pod in one.placed:
            if pod.node in free:
                for resource, value in {**pod.requests, "pods": 1}.items():
                    free[pod.node][resource] = free[pod.node].get(resource, 0) + value
    return packed(free, members(lws), most)


def _eligible(case: Case) -> list[Node]:
    """Nodes that take the waiting pod but for what is free on them; all usable ones where no pod waits."""
    nodes = case.view.nodes.values()
    verdict = case.verdict
    if verdict is None or verdict.prefilter is not None:
        return [node for node in nodes if usable(node)]
    return [node for node in nodes if {one.plugin for one in verdict.nodes.get(node.name, ())} <= {"NodeResourcesFit"}]


def _help(lws: Thing, fit: int | None, complete: int, total: int) -> Iterator[Remedy]:
    if fit is not None and 0 < fit < total:
        gain = (
            f"{count(fit, 'group')} can serve then" if fit > complete else "the unfinished groups free what they hold"
        )
        yield Remedy(
            f"Scale to {count(fit, 'group')}: {gain}",
            kubectl(
                "scale",
                "leaderworkersets.leaderworkerset.x-k8s.io",
                lws.name,
                f"--replicas={fit}",
                namespace=lws.namespace,
            ),
            verified=False,
            cost=f"{_ending(fit, total - 1)}; none of the unfinished ones serves now",
        )
    yield Remedy(
        "For good: place groups as a whole (Kueue or Volcano with LeaderWorkerSet), so that leaders cannot take what "
        "their workers need",
        verified=False,
    )


def _ending(first: int, last: int) -> str:
    return f"group {first} ends" if first == last else f"groups {first} to {last} end"
