"""Pods that keep a pod away from their nodes, and pods that it wants to be with: who they are, and where.

An anti-affinity holds in both directions: a pod that runs may forbid its node to one that comes later.
"""

from collections.abc import Callable, Iterable, Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodTerm
from bot.domain.text import natural
from bot.domain.words import names
from bot.scheduling.terms import Term, reaches, resolved
from bot.why.change import End, World, spec_with
from bot.why.nearest import nearest
from bot.why.placement import template
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.named import own, pods, room, selected, which
from bot.why.placement.nodes import NodeGroup, Survey
from bot.why.placement.owned import owned
from bot.why.placement.told import Headline

ENDED_MOST = 8


def headline(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    """By whose rule it is: its own affinity or anti-affinity, or the anti-affinity of pods that run there."""
    if not isinstance(leading.detail, PodTerm):
        return _unwelcome(survey, group, leading)
    term = resolved(leading.detail, survey.pod, survey.state)
    return _alone(survey, term) if leading.key.startswith("alone:") else _company(survey, group, term)


def remedies(survey: Survey, world: World) -> Iterator[Remedy]:
    """What the rule asks of the pod, taken back; of others, their end."""
    leading = [one for group in survey.groups for one in group.blockers if one.kind is Kind.NEIGHBOURS]
    if not leading:
        return
    if not isinstance(leading[0].detail, PodTerm):
        yield from _without_others(survey, world)
        return
    alone = leading[0].key.startswith("alone:")
    changed = World(spec_with(world.pod, affinity=()), world.state) if alone else _tolerant(survey, world)
    if fits := changed.fits(at_most=3):
        way = template.edited(survey)
        rule = "podAffinity" if alone else "podAntiAffinity"
        yield Remedy(
            f"Correct its `{rule}`, or make it a wish (`preferredDuringSchedulingIgnoredDuringExecution`): without "
            f"that rule it fits on {names(fits)}{way.how}",
            way.command,
            verified=True,
            cost=way.cost,
        )


def _tolerant(survey: Survey, world: World) -> World:
    """Without the anti-affinity of its template: pods of the same owner have that rule as well."""
    there = (pod for pod in owned(survey.state.view, [survey.pod]) if pod.occupies)
    siblings = [pod for pod in there if pod.node in world.state.nodes]  # a node may be gone before its pods
    state = world.state.without_pods(siblings)
    for pod in siblings:
        state = state.with_pod(spec_with(pod, anti_affinity=()), pod.node)
    return World(spec_with(world.pod, anti_affinity=()), state)


# ---- the pod's own rules ---------------------------------------------------------------------------------------------


def _company(survey: Survey, group: NodeGroup, term: Term) -> Headline:
    key = term.term.key
    there = sorted(_beside(survey, group, key, term.matches), key=lambda pod: natural(pod.key))
    runs = "runs" if len(there) == 1 else "run"
    if there and own(survey, there):
        whose = f"{pods(survey, there)} of the same owner {runs} there, and its anti-affinity allows one per `{key}`"
    else:
        rule = f"its anti-affinity (`{selected(term.term.selector)}`, same `{key}`)"
        whose = f"{rule} keeps it away from {pods(survey, there)}"
    return Headline("pod-affinity", f"{which(group)} {room(survey, group)}but {whose}")


def _alone(survey: Survey, term: Term) -> Headline:
    """The pods that it wants to be with are nowhere, or only where something else is in the way."""
    key, wanted = term.term.key, f"`{selected(term.term.selector)}`"
    where = "" if term.namespaces is None else f" in namespace {names(sorted(term.namespaces))}"
    matching = sorted(_placed(survey, term.matches), key=lambda pod: natural(pod.key))
    rule = f"it may run only beside pods with {wanted}{where} (its affinity, same `{key}`)"
    if not matching:
        return Headline("pod-affinity", f"{rule}, and there is none that has a node{_like(survey, term)}")
    nodes = sorted({pod.node for pod in matching}, key=natural)
    runs = "runs" if len(matching) == 1 else "run"
    there = f"{pods(survey, matching)} {runs} on {names(nodes)}, which cannot take it"
    return Headline("pod-affinity", f"{rule}, and {there}{_blocked(survey, nodes)}")


def _blocked(survey: Survey, nodes: list[str]) -> str:
    """Why the first of these nodes cannot."""
    for group in survey.groups:
        if nodes[0] in group.nodes:
            return f": {', '.join(one.words for one in group.blockers)}"
    return ""


def _like(survey: Survey, term: Term) -> str:
    """A pod with nearly that label, or with that label in another namespace."""
    everywhere = [pod for pod in survey.state.view.pods.values() if pod.occupies]
    if other := next((pod for pod in everywhere if term.term.selector.matches(pod.labels)), None):
        return f"; {other.key} has these labels, but is of another namespace"
    for one in term.term.selector.requirements:
        values = {pod.labels[one.key]: pod for pod in everywhere if one.key in pod.labels}
        if one.operator == "In" and (close := nearest(one.values[0], values)):
            return f"; {values[close].key} has `{one.key}={close}` (a typing mistake?)"
    return ""


# ---- rules of others -------------------------------------------------------------------------------------------------


def _unwelcome(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    there = _repelling(survey, group.nodes, leading.about)
    want = "wants" if len(there) == 1 else "want"
    who = pods(survey, there) if there else "a pod"
    sentence = (
        f"{which(group)} {room(survey, group)}but {who} on the same `{leading.about}` {want} no such pod beside it "
        "(its anti-affinity, not the waiting pod's)"
    )
    return Headline("pod-affinity", sentence)


def _without_others(survey: Survey, world: World) -> Iterator[Remedy]:
    for group in survey.groups:
        for key in {one.about for one in group.blockers if one.kind is Kind.NEIGHBOURS}:
            there = _repelling(survey, group.nodes, key)
            if there and len(there) <= ENDED_MOST and (fits := End(tuple(there), "").apply(world).fits(group.nodes)):
                yield Remedy(
                    f"Wait for the end of {pods(survey, there)}, or ask its owner for another rule: without it the pod "
                    f"fits on {names(fits)}",
                    verified=True,
                )
                return


def _repelling(survey: Survey, nodes: Iterable[str], key: str) -> list[Pod]:
    """Pods in the same domain whose own rule speaks of the waiting pod."""
    found = [
        pod
        for pod in _in_domains(survey, nodes, key)
        for term in pod.spec.anti_affinity
        if term.key == key and reaches(term, pod, survey.pod, survey.state)
    ]
    return sorted({pod.key: pod for pod in found}.values(), key=lambda pod: natural(pod.key))


def _beside(survey: Survey, group: NodeGroup, key: str, matches: Callable[[Pod], bool]) -> Iterator[Pod]:
    yield from (pod for pod in _in_domains(survey, group.nodes, key) if matches(pod))


def _placed(survey: Survey, matches: Callable[[Pod], bool]) -> Iterator[Pod]:
    yield from (pod for info in survey.state.infos() for pod in info.live if matches(pod))


def _in_domains(survey: Survey, nodes: Iterable[str], key: str) -> Iterator[Pod]:
    """All pods on nodes with the same values of that label."""
    domains = {survey.state.info(name).node.labels.get(key) for name in nodes} - {None}
    for info in survey.state.infos():
        if info.node.labels.get(key) in domains:
            yield from info.live
