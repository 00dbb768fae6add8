"""InterPodAffinity: required affinity and anti-affinity between pods, in both directions.

Counts are by domain, a (topology key, value) pair. `detail` is the PodTerm of the pod itself that does not hold, or the
domain whose pods keep it away.
"""

from dataclasses import dataclass, field

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import PodTerm
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.state import NodeInfo, State

NO_COMPANY = ("node(s) didn't match pod affinity rules",)
UNWANTED_COMPANY = ("node(s) didn't match pod anti-affinity rules",)
UNWELCOME = ("node(s) didn't satisfy existing pods anti-affinity rules",)

Domain = tuple[str, str]
_Match = tuple[tuple[str, ...], tuple[str, ...]]
_NO_MATCH: _Match = ((), ())


@dataclass(slots=True)
class Counts:
    """How many terms match by domain. A domain without any is not there, as in the scheduler."""

    wanted: dict[Domain, int] = field(default_factory=dict)  # pods that match all of this pod's affinity terms
    unwanted: dict[Domain, int] = field(default_factory=dict)  # pods that match one of its anti-affinity terms
    unwelcome: dict[Domain, int] = field(default_factory=dict)  # terms of others that match this pod
    keys: set[str] = field(default_factory=set)  # topology keys of `unwelcome`, those of domains that are gone too


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The pod's own terms with their namespaces found, its namespace's labels, and what was counted."""

    affinity: tuple["Term", ...]
    anti_affinity: tuple["Term", ...]
    state: State
    counts: Counts


@dataclass(frozen=True, slots=True)
class Term:
    """A term of one pod, with the namespaces that it speaks of; None for all of them."""

    term: PodTerm
    namespaces: frozenset[str] | None

    def matches(self, pod: Pod) -> bool:
        if self.namespaces is not None and pod.namespace not in self.namespaces:
            return False
        return self.term.selector.matches(pod.labels)


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    spec = pod.spec
    if flaw := next(
        (term.selector.invalid for term in spec.affinity + spec.anti_affinity if term.selector.invalid), ""
    ):
        return rejected(Code.UNRESOLVABLE, f"parsing pod: {flaw}")
    found = Neighbours(
        tuple(_resolved(term, pod, state) for term in spec.affinity),
        tuple(_resolved(term, pod, state) for term in spec.anti_affinity),
        state,
        Counts(),
    )
    for other, node in state.repelling():
        _count_terms(found.counts, other, pod, node, state, 1)
    if not (found.counts.unwelcome or found.affinity or found.anti_affinity):
        return SKIP
    _count_neighbours(found)
    return PreFilterResult(data=found)


def _resolved(term: PodTerm, pod: Pod, state: State) -> Term:
    chosen = term.namespace_selector
    if chosen is None:
        return Term(term, term.namespaces or frozenset({pod.namespace}))
    if chosen.empty:
        return Term(term, None)
    selected = {name for name, one in state.view.namespaces.items() if chosen.matches(one.labels)}
    return Term(term, term.namespaces | selected)


def _reaches(term: PodTerm, owner: Pod, pod: Pod, state: State) -> bool:
    """Whether another pod's term speaks of this pod."""
    if not term.selector.matches(pod.labels):
        return False
    chosen = term.namespace_selector
    if chosen is None:
        return pod.namespace in (term.namespaces or (owner.namespace,))
    return pod.namespace in term.namespaces or chosen.matches(state.namespace_labels(pod.namespace))


def _count_neighbours(found: Neighbours) -> None:
    """Pods of one template share their labels: each set of them is tried once."""
    if not (found.affinity or found.anti_affinity):
        return
    nodes = found.state.view.nodes
    alike: dict[tuple[str, int], _Match] = {}
    for pod in found.state.placed(_namespaces(found)):
        key = (pod.namespace, id(pod.labels))
        match = alike.get(key)
        if match is None:
            match = alike[key] = _match(found, pod)
        if match is not _NO_MATCH and (node := nodes.get(pod.node)) is not None:
            _count_pod(found.counts, match, node, 1)


def _namespaces(found: Neighbours) -> frozenset[str] | None:
    every = [term.namespaces for term in found.affinity + found.anti_affinity]
    some = [one for one in every if one is not None]
    return frozenset().union(*some) if len(some) == len(every) else None


def _match(found: Neighbours, other: Pod) -> _Match:
    """The topology keys under which another pod counts, for and against."""
    wanted = found.affinity if all(term.matches(other) for term in found.affinity) else ()
    keys = tuple(term.term.key for term in wanted)
    against = tuple(term.term.key for term in found.anti_affinity if term.matches(other))
    return (keys, against) if keys or against else _NO_MATCH


def _count_pod(counts: Counts, match: _Match, node: Node, sign: int) -> None:
    for key in match[0]:
        _add(counts.wanted, node, key, sign)
    for key in match[1]:
        _add(counts.unwanted, node, key, sign)


def _count_terms(into: Counts, other: Pod, pod: Pod, node: Node, state: State, sign: int) -> None:
    for term in other.spec.anti_affinity:
        if _reaches(term, other, pod, state):
            into.keys.add(term.key)
            _add(into.unwelcome, node, term.key, sign)


def _add(into: dict[Domain, int], node: Node, key: str, sign: int) -> None:
    value = node.labels.get(key)
    if value is None:
        return
    domain = (key, value)
    count = into.get(domain, 0) + sign
    if count:
        into[domain] = count
    else:
        into.pop(domain, None)


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


def copy(data: Neighbours) -> Neighbours:
    counts = data.counts
    fresh = Counts(dict(counts.wanted), dict(counts.unwanted), dict(counts.unwelcome), set(counts.keys))
    return Neighbours(data.affinity, data.anti_affinity, data.state, fresh)


def update(data: Neighbours, pod: Pod, other: Pod, node: Node, sign: int) -> None:
    _count_terms(data.counts, other, pod, node, data.state, sign)
    _count_pod(data.counts, _match(data, other), node, sign)


FILTER = Filter(
    name="InterPodAffinity",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity",
    prefilter=prefilter,
    filter=inter_pod_affinity,
    by_pods=True,
    copy=copy,
    update=update,
)
