"""PodTopologySpread: constraints with DoNotSchedule. A node is turned down where its domain would hold too many more
of the pods that a constraint counts than the emptiest domain does.

Only nodes with the keys of all constraints count, and of those the ones that the pod's node affinity (and, if asked
for, its tolerations) allows. `detail` is a Skew, or the missing key.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.selectors import Selector
from bot.scheduling.framework import SKIP, Code, Failure, Filter, PreFilterResult, rejected
from bot.scheduling.spread import Eligible, Spread, policy, spread_of
from bot.scheduling.state import NodeInfo, State

UNEVEN = ("node(s) didn't match pod topology spread constraints",)
NO_KEY = ("node(s) didn't match pod topology spread constraints (missing required label)",)


class Skew(msgspec.Struct, frozen=True, gc=False):
    """How full the node's domain would be: `count` matching pods now, `least` in the emptiest domain."""

    key: str
    domain: str
    count: int
    least: int
    max_skew: int


class Spreads(NamedTuple):
    """All constraints of the pod."""

    spreads: list[Spread]
    eligible: Eligible


def prefilter(pod: Pod, state: State) -> PreFilterResult:
    spreads = [spread_of(one, pod) for one in pod.spec.spread if one.hard]
    if not spreads:
        return SKIP
    if flaw := next((one.selector.invalid for one in spreads if one.selector.invalid), ""):
        return rejected(Code.ERROR, f"get constraints from pod: {flaw}")
    eligible = Eligible(pod, spreads)
    nodes = eligible.nodes(state)
    for spread in spreads:
        spread.count(nodes[policy(spread.constraint)], _by_node(pod.namespace, spread.selector, state))
    return PreFilterResult(data=Spreads(spreads, eligible))


def _by_node(namespace: str, selector: Selector, state: State) -> Mapping[str, int]:
    """Matching pods by node. An empty selector counts none; terminating pods never count."""
    if selector.empty or selector.nothing:
        return {}
    snapshot = state.snapshot
    placed = snapshot.once((__name__, namespace, selector), lambda: _matching(selector, snapshot.placed((namespace,))))
    if not state.changed:
        return placed
    here = ([pod] for info in state.changed.values() for pod in info.live if pod.namespace == namespace)
    return {**placed, **dict.fromkeys(state.changed, 0), **_matching(selector, here)}


def _matching(selector: Selector, placed: Iterable[list[Pod]]) -> dict[str, int]:
    """Of lists of pods with the same labels."""
    found: dict[str, int] = {}
    for pods in placed:
        if selector.matches(pods[0].labels):
            for pod in pods:
                if not pod.deleted:
                    found[pod.node] = found.get(pod.node, 0) + 1
    return found


def pod_topology_spread(pod: Pod, info: NodeInfo, data: Spreads, state: State) -> Failure | None:
    del pod, state
    labels = info.node.labels
    for spread in data.spreads:
        constraint = spread.constraint
        domain = labels.get(constraint.key)
        if domain is None:
            return Failure(Code.UNRESOLVABLE, NO_KEY, constraint.key)
        count, least = spread.counts.get(domain, 0), spread.least
        if count + spread.of_itself - least > constraint.max_skew:
            return Failure(Code.UNSCHEDULABLE, UNEVEN, Skew(constraint.key, domain, count, least, constraint.max_skew))
    return None


def minds(data: Spreads, other: Pod) -> bool:
    return other.namespace == data.eligible.namespace and any(
        one.selector.matches(other.labels) for one in data.spreads
    )


def copy(data: Spreads, node: Node | None = None) -> Spreads:
    return Spreads([one.copy(node) for one in data.spreads], data.eligible)


def update(data: Spreads, pod: Pod, other: Pod, node: Node, sign: int) -> None:
    if other.namespace != pod.namespace:
        return
    for spread in data.spreads:
        if spread.selector.matches(other.labels) and data.eligible.counts(spread.constraint, node):
            spread.add(node, sign)


FILTER = Filter(
    name="PodTopologySpread",
    docs="https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/",
    prefilter=prefilter,
    filter=pod_topology_spread,
    minds=minds,
    copy=copy,
    update=update,
)
