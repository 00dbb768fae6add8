"""What would let the pod be placed. Candidates are generated from what blocks it; each is tried on a copy of the
cluster through the same filters, and only what really places the pod is offered, cheapest first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice

from bot.domain.answer import Remedy
from bot.domain.text import natural
from bot.domain.words import count, names
from bot.gpu.cordon import who
from bot.gpu.kind import is_gpu_resource
from bot.gpu.policy import Policy
from bot.why import change as changes
from bot.why.change import World
from bot.why.placement import (
    basics,
    discovery,
    in_line,
    neighbours,
    overdue,
    pairs,
    ports,
    priority,
    room,
    template,
    unready,
    volumes,
)
from bot.why.placement.blocker import Kind
from bot.why.placement.blockers import resource_name
from bot.why.placement.commands import kubectl
from bot.why.placement.nodes import Survey, by_name
from bot.why.placement.nowhere import BY_HARDWARE
from bot.why.placement.offered import alternatives

MODEL_FITS = "check that those nodes have what the model needs"
NODES_TRIED = 40  # of each group: nodes of one group differ only in numbers
LACKING = basics.LACKING  # nothing but amounts cures that
AWAY = frozenset({Kind.TAINT, Kind.CORDON, Kind.NOT_READY})


@dataclass(frozen=True, slots=True)
class Advice:
    """`remedies` that place the pod, `useless` advice with the reason, `until` when waiting is right."""

    remedies: tuple[Remedy, ...]
    useless: tuple[str, ...] = ()
    until: str = ""


def advise(survey: Survey, policy: Policy, now: datetime) -> Advice:
    """Cheapest first: nothing lost, then the pod's own spec, then others' work, then more hardware."""
    world = World(survey.pod, survey.state)
    found = [
        *unready.remedies(survey, world, now),
        *overdue.remedies(survey, world, now),
        *_uncordon(survey, world),
        *_tolerate(survey, world),
        *_spread(survey, world),
        *discovery.remedies(survey),
        *_selector(survey, world),
        *_rename(survey, world),
        *volumes.remedies(survey, world),
        *neighbours.remedies(survey, world),
        *ports.remedies(survey, world),
        *basics.remedies(survey, world),
        *room.make_room(survey, world, policy, now),
        *_fewer(survey, world),
    ]
    useless: list[str] = []
    until = room.leaving(survey, world, now) or _coming(survey, world) or unready.until(survey, world, now)
    found += [] if found else pairs.remedies(survey, world)
    found += priority.raised(survey, world, useless)
    if not found and not until:
        found += _more_nodes(survey, world)
    return Advice(tuple(found), tuple(useless), until)


def at_once(survey: Survey) -> Advice:
    """For lists of many pods: the first thing that helps, of those that end nobody's work and are quickly tried."""
    world = World(survey.pod, survey.state)
    if until := room.leaving(survey, world) or _coming(survey, world):
        return Advice((), until=until)
    quick = chain(
        _uncordon(survey, world),
        _tolerate(survey, world),
        discovery.remedies(survey),
        _selector(survey, world),
        _rename(survey, world),
    )
    return Advice(tuple(islice(quick, 1)))


def _own(action: str, way: template.Way, cost: str = "") -> Remedy:
    """A change of the pod's own spec."""
    costs = "; ".join(one for one in (cost, way.cost) if one)
    return Remedy(f"{action}{way.how}", way.command, verified=True, cost=costs)


def _nodes(survey: Survey, kind: Kind) -> list[str]:
    """Nodes that a blocker of that kind keeps away, those with room first."""
    groups = [group for group in survey.groups if kind in group.kinds and not group.kinds & LACKING]
    listed = [name for group in groups for name in group.nodes[:NODES_TRIED]]
    return sorted(listed, key=lambda name: (-survey.free(name) if survey.main else 0, natural(name)))


def _uncordon(survey: Survey, world: World) -> Iterator[Remedy]:
    """Of nodes that a person cordoned. What an upgrade or an autoscaler holds is waited for instead."""
    for name in _nodes(survey, Kind.CORDON):
        by = who(survey.state.info(name).node)
        changed = changes.Uncordon(name).apply(world)
        if _held(by) or not changed.fits([name]):
            continue
        cost = f"it was cordoned {by}: ask first why" if by else "whoever cordoned it had a reason: ask first"
        command = kubectl("", "uncordon", name)
        remedy = Remedy(f"Uncordon {name}: the pod fits there", command, verified=True, cost=cost)
        yield in_line.told(remedy, changed, name)
        return


def _coming(survey: Survey, world: World) -> str:
    """A node that something automatic has cordoned and gives back when it is done."""
    for name in _nodes(survey, Kind.CORDON):
        by = who(survey.state.info(name).node)
        if _held(by) and changes.Uncordon(name).apply(world).fits([name]):
            return f"{name}, cordoned {by}, is given back: it has room for the pod"
    return ""


def _held(by: str) -> bool:
    return "upgrade" in by or "Karpenter" in by or "autoscaler" in by.casefold()


def _tolerate(survey: Survey, world: World) -> Iterator[Remedy]:
    tried: set[tuple[str, str, str]] = set()
    for group in survey.groups:
        for one in group.blockers:
            if one.kind is not Kind.TAINT or (one.detail.key, one.detail.value, one.detail.effect) in tried:
                continue
            taint = one.detail
            tried.add((taint.key, taint.value, taint.effect))
            if group.kinds & LACKING:
                continue
            tolerate = changes.Tolerate(taint.key, taint.value, taint.effect)
            fits = tolerate.apply(world).fits(group.nodes[:NODES_TRIED])
            if fits:
                yield _own(
                    f"Tolerate the taint `{taint}`: the pod then fits on {names(fits)}",
                    template.tolerate(survey, taint),
                    "those nodes are set apart on purpose: ask who they belong to",
                )


def _spread(survey: Survey, world: World) -> Iterator[Remedy]:
    if not any(Kind.SPREAD in group.kinds for group in survey.groups):
        return
    if fits := changes.HonorTaints().apply(world).fits(at_most=3):
        yield _own(
            "Set `nodeTaintsPolicy: Honor` in its topologySpreadConstraints: nodes that it may not use do not count, "
            f"and it fits on {names(fits)}",
            template.spread(survey, "nodeTaintsPolicy", "Honor"),
        )
    elif fits := changes.SoftSpread().apply(world).fits(at_most=3):
        yield _own(
            f"Make the spread a wish (`whenUnsatisfiable: ScheduleAnyway`): it then fits on {names(fits)}",
            template.spread(survey, "whenUnsatisfiable", "ScheduleAnyway"),
            "the pods may end up less evenly spread",
        )


def _selector(survey: Survey, world: World) -> Iterator[Remedy]:
    """Labels that it asks for in vain, one at a time; those that choose a product are told with what would be had."""
    keys = list(survey.pod.spec.node_selector)
    for term in survey.pod.spec.node_terms or ():
        keys += [one.key for one in term.expressions]
    if survey.groups and not any(Kind.LABELS in group.kinds for group in survey.groups):
        return
    for key in dict.fromkeys(keys):
        if fits := changes.DropSelector(key).apply(world).fits(at_most=3):
            had = {survey.state.info(name).node.labels.get(key, "no such label") for name in fits}
            yield _own(
                f"Do not ask for the label `{key}`, or ask for what is there ({names(sorted(had))}): "
                f"it then fits on {names(fits)}",
                template.without_label(survey, key),
                "its image must be built for them" if key in BY_HARDWARE else MODEL_FITS,
            )


def _rename(survey: Survey, world: World) -> Iterator[Remedy]:
    """The same GPUs under the name that nodes offer."""
    if not is_gpu_resource(survey.main) or any(info.node.allocatable.get(survey.main) for info in survey.state.infos()):
        return
    for other, _, free, on in alternatives(survey, survey.main)[:2]:
        asked = changes.Request(other, survey.asked, instead_of=survey.main)
        if free >= survey.asked and (fits := asked.apply(world).fits(on)):
            yield _own(
                f"Ask for `{other}: {survey.asked}` instead of `{survey.main}`: that is what {names(on)} "
                f"offer{'s' if len(on) == 1 else ''}, and it fits on {names(fits)}",
                template.amount(survey, other, survey.asked, instead_of=survey.main),
                "add a nodeSelector on `nvidia.com/gpu.product` where several products share the name",
            )


def _fewer(survey: Survey, world: World) -> Iterator[Remedy]:
    """As many as one node has free, where halves make sense: tensor parallelism wants powers of two."""
    if not is_gpu_resource(survey.main) or survey.asked < 2:
        return
    best = max((survey.free(name) for name in survey.possible), default=0)
    amount = survey.asked
    while amount > 1:
        amount //= 2
        if amount <= best and (fits := changes.Request(survey.main, amount).apply(world).fits(at_most=2)):
            yield _own(
                f"Ask for {count(amount, 'GPU')} instead of {survey.asked}: fits on {names(fits)} now",
                template.amount(survey, survey.main, amount),
                "only if the model fits into their memory; the engine's tensor parallel size must be the same number",
            )
            return


def _more_nodes(survey: Survey, world: World) -> Iterator[Remedy]:
    """Nothing that is there can help: a node of a kind that is there would, or not even that."""
    models: dict[tuple[object, ...], str] = {}
    for name in by_name(survey.state, survey.possible or survey.state.names):
        node = survey.state.info(name).node
        if survey.main and not node.capacity.get(survey.main):
            continue
        models.setdefault(
            (node.capacity.get(survey.main, 0), node.taints, node.labels.get("nvidia.com/gpu.product")), name
        )
    for name in list(models.values())[:4]:
        add = changes.AddNode(name)
        changed = add.apply(world)
        if changed.fits(add.names()):
            size = survey.state.info(name).node.capacity.get(survey.main, 0)
            unit = "GPU" if size == 1 and resource_name(survey.main) == "GPUs" else resource_name(survey.main)
            of = f" ({size} {unit})" if size else ""
            words = f"One more node like {name}{of}: nothing in the cluster as it is can take the pod"
            remedy = Remedy(words, verified=True, cost="hardware, or the autoscaler's limit")
            yield in_line.told(remedy, changed, add.names()[0])
            return
