"""InterPodAffinity: required affinity and anti-affinity between pods, in both directions.

Counts are by domain, a (topology key, value) pair. `detail` is the PodTerm of the pod itself that does not hold, or the
domain whose pods keep it away.
"""

from bisect import insort
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodTerm
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.terms import Term, namespaces, reaches, resolved

NO_COMPANY = ("node(s) didn't match pod affinity rules",)
UNWANTED_COMPANY = ("node(s) didn't match pod anti-affinity rules",)
UNWELCOME = ("node(s) didn't satisfy existing pods anti-affinity rules",)

Domain = tuple[str, str]


class Effect(NamedTuple):
    """The topology keys under which another pod counts; see Counts."""

    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    unwelcome: tuple[str, ...] = ()


NO_EFFECT = Effect()


@dataclass(slots=True)
class Counts:
    """How many terms match by domain. A domain without any is not there, as in the scheduler."""

    wanted: dict[Domain, int] = field(default_factory=dict)  # pods that match all of this pod's affinity terms
    unwanted: dict[Domain, int] = field(default_factory=dict)  # pods that match one of its anti-affinity terms
    unwelcome: dict[Domain, int] = field(default_factory=dict)  # terms of others that match this pod
    keys: list[str] = field(default_factory=list)  # topology keys of `unwelcome`, those of domains that are gone too

    def add(self, effect: Effect, nodes: Collection[Node], sign: int) -> None:
        """A pod more (+1) or less (-1) on each of the nodes."""
        for key in effect.wanted:
            _add(self.wanted, nodes, key, sign)
        for key in effect.unwanted:
            _add(self.unwanted, nodes, key, sign)
        for key in effect.unwelcome:
            if key not in self.keys:
                insort(self.keys, key)
            _add(self.unwelcome, nodes, key, sign)


def _add(into: dict[Domain, int], nodes: Collection[Node], key: str, sign: int) -> None:
    values = Counter([node.labels.get(key) for node in nodes])
    for value, pods in values.items():
        if value is not None:
            domain = (key, value)
            count = into[domain] = into.get(domain, 0) + sign * pods
            if not count:
                del into[domain]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The pod's own terms with their namespaces found, and what was counted.

    Pods of one template share their labels and their spec: `effects` keeps what they count for.
    """

    pod: Pod
    affinity: tuple[Term, ...]
    anti_affinity: tuple[Term, ...]
    state: State
    counts: Counts
    effects: dict[tuple[str, int, int], Effect] = field(default_factory=dict)

    def effect(self, other: Pod) -> Effect:
        alike = (other.namespace, id(other.labels), id(other.spec))
        known = self.effects.get(alike)
        if known is None:
            found = self._effect(other)
            known = self.effects[alike] = found if any(found) else NO_EFFECT
        return known

    def _effect(self, other: Pod) -> Effect:
        wanted = self.affinity if all(term.matches(other) for term in self.affinity) else ()
        return Effect(
            tuple(one.term.key for one in wanted),
            tuple(one.term.key for one in self.anti_affinity if one.matches(other)),
            tuple(one.key for one in other.spec.anti_affinity if reaches(one, other, self.pod, self.state)),
        )


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    spec = pod.spec
    if flaw := next(
        (term.selector.invalid for term in spec.affinity + spec.anti_affinity if term.selector.invalid), ""
    ):
        return rejected(Code.UNRESOLVABLE, f"parsing pod: {flaw}")
    affinity = tuple(resolved(term, pod, state) for term in spec.affinity)
    anti_affinity = tuple(resolved(term, pod, state) for term in spec.anti_affinity)
    found = Neighbours(pod, affinity, anti_affinity, state, Counts())
    same = (__name__, pod.namespace, tuple(sorted(pod.labels.items())), spec.affinity, spec.anti_affinity)
    found = replace(found, counts=state.snapshot.once(same, lambda: _counted(found)))
    if state.changed:
        found = _corrected(found)
    if not (found.counts.unwelcome or affinity or anti_affinity):
        return SKIP
    return PreFilterResult(data=found)


def _counted(found: Neighbours) -> Counts:
    """All pods of the view where they are, without any "what if"."""
    view, counts = found.state.view, Counts()
    for pod in view.repelling:
        unwelcome = found.effect(pod).unwelcome
        if unwelcome and pod.occupies and (node := view.nodes.get(pod.node)) is not None:
            counts.add(Effect(unwelcome=unwelcome), (node,), 1)
    for effect, nodes in _effects(found).items():
        counts.add(effect, nodes, 1)
    return counts


def _effects(found: Neighbours) -> dict[Effect, list[Node]]:
    """What the pod's own terms count, with a node for each pod that counts so."""
    terms, nodes = found.affinity + found.anti_affinity, found.state.view.nodes
    effects: dict[Effect, list[Node]] = {}
    for pods in found.state.snapshot.placed(namespaces(terms)) if terms else ():
        effect = found.effect(pods[0])
        if effect.wanted or effect.unwanted:
            here = effects.setdefault(Effect(effect.wanted, effect.unwanted), [])
            here += [node for pod in pods if (node := nodes.get(pod.node)) is not None]
    return effects


def _corrected(found: Neighbours) -> Neighbours:
    """With what a "what if" changes."""
    found = copy(found)
    for sign, info in found.state.differences():
        for other in info.live:
            update(found, found.pod, other, info.node, sign)
    return found


def inter_pod_affinity(pod: Pod, info: NodeInfo, data: Neighbours, state: State) -> Failure | None:
    del state
    labels, counts = info.node.labels, data.counts
    lonely: PodTerm | None = None
    for one in data.affinity:
        value = labels.get(one.term.key)
        if value is None:
            return Failure(Code.UNRESOLVABLE, NO_COMPANY, one.term)
        if counts.wanted.get((one.term.key, value), 0) <= 0:
            lonely = lonely or one.term
    if lonely is not None and not _may_be_first(pod, data):
        return Failure(Code.UNRESOLVABLE, NO_COMPANY, lonely)
    for one in data.anti_affinity:
        if counts.unwanted.get((one.term.key, labels.get(one.term.key, "")), 0) > 0 and one.term.key in labels:
            return Failure(Code.UNSCHEDULABLE, UNWANTED_COMPANY, one.term)
    for key in counts.keys:
        domain = (key, labels.get(key, ""))
        if counts.unwelcome.get(domain, 0) > 0 and key in labels:
            return Failure(Code.UNSCHEDULABLE, UNWELCOME, domain)
    return None


def _may_be_first(pod: Pod, data: Neighbours) -> bool:
    """Pods with affinity to their own kind: the first of them has nobody to join."""
    return not data.counts.wanted and all(term.matches(pod) for term in data.affinity)


def minds(data: Neighbours, other: Pod) -> bool:
    return data.effect(other) is not NO_EFFECT


def copy(data: Neighbours, node: Node | None = None) -> Neighbours:
    counts = data.counts
    unwanted, unwelcome = _of(counts.unwanted, node), _of(counts.unwelcome, node)
    return replace(data, counts=Counts(dict(counts.wanted), unwanted, unwelcome, list(counts.keys)))


def _of(counts: dict[Domain, int], node: Node | None) -> dict[Domain, int]:
    if node is None:
        return dict(counts)
    return {domain: counts[domain] for domain in node.labels.items() if domain in counts}


def update(data: Neighbours, pod: Pod, other: Pod, node: Node, sign: int) -> None:
    del pod
    effect = data.effect(other)
    if effect is not NO_EFFECT:
        data.counts.add(effect, (node,), sign)


FILTER = Filter(
    name="InterPodAffinity",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity",
    prefilter=prefilter,
    filter=inter_pod_affinity,
    minds=minds,
    copy=copy,
    update=update,
)
