"""How big a plan is in the eyes of the rules: how many others must agree, and whether only admins may."""

import enum
from collections.abc import Mapping, Sequence

from bot.access.rules import Approvals, Protected, Rules
from bot.domain.change import Plan
from bot.domain.words import count

Labels = Mapping[str, str]


class Class(enum.StrEnum):
    SMALL = "small"
    USUAL = "usual"
    BIG = "big"


def classed(rules: Rules, plan: Plan, labels: Sequence[Labels] = ()) -> tuple[Class, str]:
    """And why, as what goes on after "because"."""
    reason = protected(rules.protected, plan, labels) or _big(rules.approvals, plan)
    if reason:
        return Class.BIG, reason
    unlike_small = _not_small(rules.approvals, plan)
    return (Class.USUAL, unlike_small) if unlike_small else (Class.SMALL, "it is small and can be undone")


def approvals(rules: Rules, kind: Class) -> int:
    return {Class.SMALL: rules.approvals.small, Class.USUAL: rules.approvals.usual, Class.BIG: rules.approvals.big}[
        kind
    ]


def protected(rules: Protected, plan: Plan, labels: Sequence[Labels] = ()) -> str:
    """Why only admins may approve it; empty where others may, too. labels: of every object and namespace it touches."""
    touched = {*plan.size.namespaces, *(step.target.namespace for step in plan.steps)}
    namespaces = sorted(touched & rules.namespaces)
    if namespaces:
        return f"the namespace {namespaces[0]} is protected"
    for wanted in rules.labels:
        if any(_has(one, wanted) for one in labels):
            return f"what it changes is protected by its label {wanted}"
    return ""


def _has(labels: Labels, wanted: str) -> bool:
    key, given, value = wanted.partition("=")
    return key in labels and (not given or labels[key] == value)


def _big(rules: Approvals, plan: Plan) -> str:
    size = plan.size
    if size.nodes and size.evictions:
        return f"it drains {count(size.nodes, 'node')}"
    if size.gpus > rules.big_gpus:
        return f"it concerns {size.gpus:,} GPUs, more than {rules.big_gpus:,}"
    return ""


def _not_small(rules: Approvals, plan: Plan) -> str:
    size = plan.size
    if not plan.undo:
        return "it cannot be undone"
    if size.evictions:
        return f"it evicts {count(size.evictions, 'pod')}"
    for is_, at_most, one in (
        (size.nodes, rules.small_nodes, "node"),
        (size.replicas, rules.small_replicas, "replica"),
        (size.gpus, rules.small_gpus, "GPU"),
    ):
        if is_ > at_most:
            return f"it concerns {count(is_, one)}, more than {at_most:,}"
    return ""
