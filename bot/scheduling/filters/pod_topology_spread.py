"""PodTopologySpread: constraints with DoNotSchedule. A node is turned down where its domain would hold too many more
of the pods that a constraint counts than the emptiest domain does.

Only nodes with the keys of all constraints count, and of those the ones that the pod's node affinity (and, if asked
for, its tolerations) allows. `detail` is a Skew, or the missing key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import SpreadConstraint
from bot.domain.selectors import Requirement, Selector
from bot.scheduling.filters.node_affinity import matches
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.state import NodeInfo, State
from bot.scheduling.tolerance import untolerated

UNEVEN = ("node(s) didn't match pod topology spread constraints",)
NO_KEY = ("node(s) didn't match pod topology spread constraints (missing required label)",)
_UNBOUNDED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Skew:
    """How full the node's domain would be: `count` matching pods now, `least` in the emptiest domain."""

    key: str
    domain: str
    count: int
    least: int
    max_skew: int


@dataclass(slots=True)
class Emptiest:
    """The two emptiest domains, as the scheduler remembers them: of the second it may know an outdated count.

    Kept as it is there, because the dry run of a preemption takes pods away and puts them back through `update`, and
    the answer of the scheduler depends on what is then remembered. criticalPaths in podtopologyspread/filtering.go.
    """

    domains: list[str] = field(default_factory=lambda: ["", ""])
    counts: list[int] = field(default_factory=lambda: [_UNBOUNDED, _UNBOUNDED])

    def update(self, domain: str, count: int) -> None:
        domains, counts = self.domains, self.counts
        if domain in domains:
            counts[domains.index(domain)] = count
            if counts[0] > counts[1]:
                domains.reverse()
                counts.reverse()
        elif count < counts[0]:
            self.domains, self.counts = [domain, domains[0]], [count, counts[0]]
        elif count < counts[1]:
            domains[1], counts[1] = domain, count


@dataclass(slots=True)
class Spread:
    """One constraint with what it counts: matching pods by domain."""

    constraint: SpreadConstraint
    selector: Selector
    of_itself: int  # 1 where the pod matches its own constraint
    counts: dict[str, int] = field(default_factory=dict)
    emptiest: Emptiest = field(default_factory=Emptiest)

    @property
    def least(self) -> int:
        return 0 if len(self.counts) < self.constraint.min_domains else self.emptiest.counts[0]


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    spreads = [_spread(one, pod) for one in pod.spec.spread if one.hard]
    if not spreads:
        return SKIP
    if flaw := next((one.selector.invalid for one in spreads if one.selector.invalid), ""):
        return rejected(Code.ERROR, f"get constraints from pod: {flaw}")
    for spread in spreads:
        by_node = _by_node(pod.namespace, spread.selector, state)
        for info in state.infos():
            node = info.node
            if _has_keys(node, spreads) and _counts(spread.constraint, pod, node):
                domain = node.labels[spread.constraint.key]
                spread.counts[domain] = spread.counts.get(domain, 0) + by_node.get(node.name, 0)
        for domain, count in spread.counts.items():
            spread.emptiest.update(domain, count)
    return PreFilterResult(data=spreads)


def _spread(constraint: SpreadConstraint, pod: Pod) -> Spread:
    """With the pod's own values of matchLabelKeys, which an API server of 1.34 and newer writes into the selector."""
    selector, labels = constraint.selector, pod.labels
    own = tuple(Requirement(key, "In", (labels[key],)) for key in constraint.match_label_keys if key in labels)
    if own and not selector.nothing:
        selector = Selector((*own, *selector.requirements))
    return Spread(constraint, selector, int(selector.matches(labels)))


def _by_node(namespace: str, selector: Selector, state: State) -> Mapping[str, int]:
    """Matching pods by node. An empty selector counts none; terminating pods never count."""
    found: dict[str, int] = {}
    if selector.empty or selector.nothing:
        return found
    alike: dict[int, bool] = {}  # pods of one template share their labels: each set is tried once
    for pod in state.placed((namespace,)):
        key = id(pod.labels)
        matching = alike.get(key)
        if matching is None:
            matching = alike[key] = selector.matches(pod.labels)
        if matching and pod.namespace == namespace and not pod.deleted:
            found[pod.node] = found.get(pod.node, 0) + 1
    return found


def _has_keys(node: Node, spreads: list[Spread]) -> bool:
    labels = node.labels
    return all(spread.constraint.key in labels for spread in spreads)


def _counts(constraint: SpreadConstraint, pod: Pod, node: Node) -> bool:
    if constraint.honors_affinity and not matches(pod.spec, node):
        return False
    return not constraint.honors_taints or untolerated(node.taints, pod.spec.tolerations) is None


def pod_topology_spread(pod: Pod, info: NodeInfo, data: list[Spread], state: State) -> Failure | None:
    del pod, state
    labels = info.node.labels
    for spread in data:
        constraint = spread.constraint
        domain = labels.get(constraint.key)
        if domain is None:
            return Failure(Code.UNRESOLVABLE, NO_KEY, constraint.key)
        count, least = spread.counts.get(domain, 0), spread.least
        if count + spread.of_itself - least > constraint.max_skew:
            return Failure(Code.UNSCHEDULABLE, UNEVEN, Skew(constraint.key, domain, count, least, constraint.max_skew))
    return None


def copy(data: list[Spread]) -> list[Spread]:
    return [
        Spread(
            one.constraint,
            one.selector,
            one.of_itself,
            dict(one.counts),
            Emptiest(list(one.emptiest.domains), list(one.emptiest.counts)),
        )
        for one in data
    ]


def update(data: list[Spread], pod: Pod, other: Pod, node: Node, sign: int) -> None:
    if other.namespace != pod.namespace or not _has_keys(node, data):
        return
    for spread in data:
        if spread.selector.matches(other.labels) and _counts(spread.constraint, pod, node):
            domain = node.labels[spread.constraint.key]
            spread.counts[domain] = spread.counts.get(domain, 0) + sign
            spread.emptiest.update(domain, spread.counts[domain])


FILTER = Filter(
    name="PodTopologySpread",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/",
    prefilter=prefilter,
    filter=pod_topology_spread,
    by_pods=True,
    copy=copy,
    update=update,
)
