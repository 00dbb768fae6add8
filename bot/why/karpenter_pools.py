"""Why no NodePool makes a node for a pod: labels, requirements, taints, limits.

kubernetes-sigs/karpenter:pkg/controllers/provisioning/scheduling: one error for each NodePool.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.thing import Thing
from bot.domain.words import names
from bot.why.amounts import amounts_of, name_of, number, said, scarcest_first
from bot.why.autoscaler_messages import PoolReason, PoolWhy, pool_reasons
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.karpenter_labels import pools, unknown_label
from bot.why.shell import kubectl, quoted


def refused(case: Case, event: Event) -> Iterator[Finding]:
    """The event's reasons, each sort once; a label that no pool can know before all others."""
    reasons = pool_reasons(event.message)
    seen: set[PoolWhy] = set()
    for reason in sorted(reasons, key=lambda one: list(PoolWhy).index(one.why)):
        if reason.why not in seen:
            seen.add(reason.why)
            yield _finding(case, reason, event)


def _finding(case: Case, reason: PoolReason, event: Event) -> Finding:
    told = (f"Karpenter says {quoted(event.message, 300)}",)
    if reason.why is PoolWhy.LABEL:
        return unknown_label(case, reason.key, reason.typo, told)
    if reason.why is PoolWhy.LIMIT:
        return _limit(case, reason, told)
    identity, sentence, help_ = _SENTENCES[reason.why]
    what = {"pool": f" `{reason.pool}`" if reason.pool else "", "key": reason.key, "text": inert(reason.text, 200)}
    return Finding(
        identity,
        f"Karpenter makes no node: {sentence.format(**what)}",
        Level.ROOT,
        evidence=told,
        remedies=(Remedy(help_.format(**what), kubectl("get", "nodepools", "-o", "yaml")),),
        weight=0 if reason.why is PoolWhy.OTHER else 1,
    )


_SENTENCES: dict[PoolWhy, tuple[str, str, str]] = {
    PoolWhy.REQUIREMENT: (
        "karpenter.requirement",
        "the pod wants another value of `{key}` than NodePool{pool} allows",
        "Compare the pod's `{key}` with the requirements of the NodePools",
    ),
    PoolWhy.TAINT: (
        "karpenter.taint",
        "nodes of NodePool{pool} have the taint `{key}`, which the pod does not tolerate",
        "If the pod may run there, tolerate `{key}`; else use another NodePool",
    ),
    PoolWhy.TOO_BIG: (
        "karpenter.no-machine-type",
        "none of the machine types that NodePool{pool} allows is large enough or on offer",
        "Allow larger machine types, more zones or capacity types, or ask for less",
    ),
    PoolWhy.DRA: (
        "karpenter.device-claims",
        "the pod asks for devices by ResourceClaim, which this release of Karpenter does not plan for",
        "Ask for the device by resource name, or keep nodes for it by hand",
    ),
    PoolWhy.TOPOLOGY: (
        "karpenter.topology",
        "spreading or affinity rules of the pod leave no place for it ({text})",
        "Loosen the spreading rule, or allow more zones in the NodePools",
    ),
    PoolWhy.VOLUME: (
        "karpenter.volume",
        "a volume claim of the pod names no storage class, so no zone can be chosen",
        "Name a storage class in the claim",
    ),
    PoolWhy.OTHER: ("karpenter.refused", "{text}", "Compare the pod with the NodePools"),
}


def _limit(case: Case, reason: PoolReason, evidence: tuple[str, ...]) -> Finding:
    mine = [one for one in pools(case) if one.name == reason.pool] or pools(case)
    sums = [text for one in mine for text in _sums(case, one)]
    which = f"NodePool `{reason.pool}`" if reason.pool else "a NodePool"
    return Finding(
        "karpenter.limit",
        f"Karpenter makes no node, because {which} is at its limit" + (f": {names(sums, 3)}" if sums else ""),
        Level.ROOT,
        evidence=evidence,
        remedies=(
            Remedy(
                "Raise spec.limits of the NodePool",
                kubectl("edit", "nodepool", reason.pool or (mine[0].name if mine else ""))
                if mine or reason.pool
                else "",
                verified=False,
                cost="new nodes cost money",
            ),
        ),
        useless=("Another machine type does not help: the limit counts what all of its nodes have.",),
        weight=2,
    )


def _sums(case: Case, pool: Thing) -> Iterator[str]:
    """`8 of 8 GPUs` for what is at least three quarters used."""
    fields = case.fields(pool)
    limits, used = amounts_of(fields.map("spec", "limits")), amounts_of(fields.map("status", "resources"))
    for one in scarcest_first(limits):
        if used.get(one, 0) * 4 >= limits[one] * 3:
            yield f"{number(one, used.get(one, 0))} of {number(one, limits[one])} {name_of(one)} in use"


def limits_left(case: Case, pod: Pod) -> str:
    """NodePools that may still grow by what the pod asks for, in words; empty where none sets a limit on it."""
    for one in pools(case):
        fields = case.fields(one)
        limits, used = amounts_of(fields.map("spec", "limits")), amounts_of(fields.map("status", "resources"))
        for resource in scarcest_first(limits):
            if "/" in resource and pod.requests.get(resource):
                left = limits[resource] - used.get(resource, 0)
                return f"NodePool {one.name} may still add {said(resource, max(0, left))}"
    return ""
