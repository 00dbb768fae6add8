"""Node selectors and node affinity.

Source: kubernetes/component-helpers:scheduling/corev1/nodeaffinity/nodeaffinity.go.
"""

from collections.abc import Mapping
from typing import Any

from bot.local.cluster.controllers.scheduler.node import NodeView
from bot.local.cluster.controllers.scheduler.pod import PodView

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def matches_node(pod: PodView, node: NodeView) -> bool:
    if any(node.labels.get(key) != value for key, value in pod.node_selector.items()):
        return False
    required = pod.affinity.get(REQUIRED)
    return required is None or any(matches_term(t, node.name, node.labels) for t in _terms(required))


def matches_term(term: Mapping[str, Any], name: str, labels: Mapping[str, str]) -> bool:
    """All requirements of one term hold. An empty term matches nothing."""
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    return all(_holds(e, labels) for e in expressions) and all(_holds(f, {"metadata.name": name}) for f in fields)


def preference(pod: PodView, node: NodeView) -> int:
    """The sum of the weights of the preferred terms that the node matches."""
    terms = pod.affinity.get(PREFERRED) or ()
    return sum(t["weight"] for t in terms if matches_term(t["preference"], node.name, node.labels))


def names_allowed(pod: PodView) -> frozenset[str] | None:
    """The only nodes that the pod's affinity names (a DaemonSet's pods do that), or None where any may do."""
    required = pod.affinity.get(REQUIRED)
    terms = _terms(required) if required else ()
    if not terms:
        return None
    allowed: set[str] = set()
    for term in terms:
        named = [set(f["values"]) for f in term.get("matchFields") or () if f["operator"] == "In"]
        if not named:
            return None
        allowed |= set.intersection(*named)
    return frozenset(allowed)


def _terms(required: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    return tuple(required.get("nodeSelectorTerms") or ())


def _holds(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator, values = requirement["key"], requirement["operator"], requirement.get("values") or ()
    value = labels.get(key)
    if operator == "In":
        return value is not None and value in values
    if operator == "NotIn":
        return value is None or value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    return _compares(operator, value, values)


def _compares(operator: str, value: str | None, values: Any) -> bool:
    try:
        label, bound = int(value or ""), int(*values)
    except (TypeError, ValueError):
        return False
    return label > bound if operator == "Gt" else label < bound if operator == "Lt" else False
