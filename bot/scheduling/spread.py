"""What a topology spread constraint counts: matching pods by domain, over the nodes that count."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.pod_spec import SpreadConstraint
from bot.domain.selectors import Requirement, Selector
from bot.scheduling.filters.node_affinity import Answers, asks
from bot.scheduling.state import State
from bot.scheduling.tolerance import untolerated

_UNBOUNDED = 2**31 - 1


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
    domains: int = 0  # how many there are; a copy knows the count of one of them only
    emptiest: Emptiest = field(default_factory=Emptiest)

    @property
    def least(self) -> int:
        return 0 if self.domains < self.constraint.min_domains else self.emptiest.counts[0]

    def count(self, nodes: Iterable[Node], by_node: Mapping[str, int]) -> None:
        key, counts, emptiest = self.constraint.key, self.counts, self.emptiest
        for node in nodes:
            domain = node.labels[key]
            counts[domain] = counts.get(domain, 0) + by_node.get(node.name, 0)
        for domain, count in counts.items():
            if count < emptiest.counts[1]:
                emptiest.update(domain, count)
        self.domains = len(counts)

    def add(self, node: Node, sign: int) -> None:
        """One pod more or less on a node that counts."""
        domain = node.labels[self.constraint.key]
        self.counts[domain] = self.counts.get(domain, 0) + sign
        self.emptiest.update(domain, self.counts[domain])

    def copy(self, node: Node | None) -> "Spread":
        """One that may be changed, on that node only where one is given."""
        counts, emptiest = self.counts, Emptiest(list(self.emptiest.domains), list(self.emptiest.counts))
        domains = counts.keys() if node is None else counts.keys() & {node.labels.get(self.constraint.key, "")}
        own = {domain: counts[domain] for domain in domains}
        return Spread(self.constraint, self.selector, self.of_itself, own, self.domains, emptiest)


def spread_of(constraint: SpreadConstraint, pod: Pod) -> Spread:
    """With the pod's own values of matchLabelKeys, which an API server of 1.34 and newer writes into the selector."""
    selector, labels = constraint.selector, pod.labels
    own = tuple(Requirement(key, "In", (labels[key],)) for key in constraint.match_label_keys if key in labels)
    if own and not selector.nothing:
        selector = Selector((*own, *selector.requirements))
    return Spread(constraint, selector, int(selector.matches(labels)))


Policy = tuple[bool, bool]  # whether a constraint honors node affinity, and taints


def policy(constraint: SpreadConstraint) -> Policy:
    return constraint.honors_affinity, constraint.honors_taints


class Eligible:
    """Which nodes count for the pod's constraints."""

    def __init__(self, pod: Pod, spreads: Iterable[Spread]) -> None:
        self.namespace = pod.namespace
        self._keys = {spread.constraint.key for spread in spreads}
        self._policies = {policy(spread.constraint) for spread in spreads}
        self._affinity = Answers(pod.spec) if asks(pod.spec) else None
        self._tolerations = pod.spec.tolerations

    def nodes(self, state: State) -> dict[Policy, list[Node]]:
        """Those of all nodes that count."""
        keys = self._keys
        every = [info.node for info in state.infos() if info.node.labels.keys() >= keys]
        return {policy: [node for node in every if self._allows(policy, node)] for policy in self._policies}

    def counts(self, constraint: SpreadConstraint, node: Node) -> bool:
        return node.labels.keys() >= self._keys and self._allows(policy(constraint), node)

    def _allows(self, policy: Policy, node: Node) -> bool:
        affinity, taints = policy
        if affinity and self._affinity is not None and self._affinity(node) is not None:
            return False
        return not (taints and node.taints) or untolerated(node.taints, self._tolerations) is None
