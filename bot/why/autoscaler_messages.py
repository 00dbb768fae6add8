"""What Cluster Autoscaler and Karpenter say about a pod, taken apart.

kubernetes/autoscaler:cluster-autoscaler/processors/status/eventing_scale_up_processor.go: counts are node groups.
kubernetes-sigs/karpenter:pkg/controllers/provisioning/scheduling: one error for each NodePool, joined with "; ".
"""

import re
from dataclasses import dataclass
from enum import Enum

from bot.domain.pattern import Pattern

LONGEST = 6000  # characters that are looked at
_GROWTH = Pattern(r"\{(?P<group>[^\s{}]{1,300}) (?P<old>\d{1,6})->(?P<new>\d{1,6}) \(max: (?P<max>\d{1,6})\)\}")
_REASON = Pattern(r"(?P<count>\d{1,6}) (?P<text>.+?)(?=, \d{1,6} |$)", re.DOTALL)
_SHORT = Pattern(r"Insufficient (?P<resource>[A-Za-z0-9./_-]+)")
_TAINT = Pattern(r"taint(?:\(s\)|s)? ?\{?(?P<key>[A-Za-z0-9./_-]+)")


@dataclass(frozen=True, slots=True)
class Growth:
    """A node group that was told to grow."""

    group: str
    old: int
    new: int
    most: int


@dataclass(frozen=True, slots=True)
class GroupReason:
    """Why `count` node groups do not help. `resource`: what a node of theirs would have too little of."""

    count: int
    text: str
    resource: str = ""
    taint: str = ""


def growths(message: str) -> tuple[Growth, ...]:
    """Of a TriggeredScaleUp event."""
    return tuple(
        Growth(one["group"], int(one["old"]), int(one["new"]), int(one["max"]))
        for one in _GROWTH.finditer(message[:LONGEST])
    )


def group_reasons(message: str) -> tuple[GroupReason, ...]:
    """Of a NotTriggerScaleUp event; a message without counts is one reason of no known count (0)."""
    body = message[:LONGEST].partition("pod didn't trigger scale-up")[2] or message[:LONGEST]
    body = body.partition("): ")[2] if body.startswith(" (") else body.lstrip(": ")
    found = tuple(_group_reason(int(one["count"]), one["text"].strip()) for one in _REASON.finditer(body))
    return found or ((_group_reason(0, body.strip()),) if body.strip() else ())


def _group_reason(count: int, text: str) -> GroupReason:
    short, taint = _SHORT.search(text), _TAINT.search(text)
    return GroupReason(count, text, short["resource"] if short else "", taint["key"] if taint else "")


class PoolWhy(Enum):
    """Why a NodePool does not help."""

    LABEL = "label without known values"
    REQUIREMENT = "requirement that does not match"
    TAINT = "taint"
    TOO_BIG = "no machine is large enough"
    LIMIT = "limits"
    DRA = "device claims"
    TOPOLOGY = "topology"
    VOLUME = "volume"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class PoolReason:
    """`pool` is empty where the message names none. `key`: of a label or taint; `typo`: what it may have meant."""

    why: PoolWhy
    text: str
    pool: str = ""
    key: str = ""
    typo: str = ""


_POOL = Pattern(
    r'(?:nodepool "(?P<old>[^"]{1,253})"|NodePool=(?P<new>[^\s),]{1,253})|nodepool:? "?(?P<bare>[a-z0-9.-]{1,253}))'
)
_LABEL = Pattern(r'label "(?P<key>[^"]{1,400})" does not have known values(?: \(typo of "(?P<typo>[^"]{1,400})"\?\))?')
_KEY = Pattern(r"incompatible requirements, key (?P<key>[^\s,]{1,400}),")
_POOL_TAINT = Pattern(r"did not tolerate (?:taint \(taint=(?P<new>[^)]{1,400})\)|(?P<old>[^\s,;]{1,400}))")
_PLAIN: tuple[tuple[str, PoolWhy], ...] = (
    ("exceed limits for nodepool", PoolWhy.LIMIT),
    ("limits have been exhausted", PoolWhy.LIMIT),
    ("would exceed limit", PoolWhy.LIMIT),
    ("Dynamic Resource Allocation", PoolWhy.DRA),
    ("unsatisfiable topology", PoolWhy.TOPOLOGY),
    ("unbound pvc must define a storage class", PoolWhy.VOLUME),
    ("no instance type", PoolWhy.TOO_BIG),
    ("filtered out all available instance types", PoolWhy.TOO_BIG),
)


def pool_reasons(message: str) -> tuple[PoolReason, ...]:
    """Of Karpenter's FailedScheduling event, one for each NodePool."""
    body = message[:LONGEST].removeprefix("Failed to schedule pod, ")
    return tuple(_pool_reason(part.strip()) for part in body.split("; ") if part.strip())


def _pool_reason(text: str) -> PoolReason:
    named = _POOL.search(text)
    pool = next((one for one in named.groups() if one), "") if named else ""
    if label := _LABEL.search(text):
        return PoolReason(PoolWhy.LABEL, text, pool, label["key"], label["typo"] or "")
    if taint := _POOL_TAINT.search(text):
        return PoolReason(PoolWhy.TAINT, text, pool, taint["new"] or taint["old"])
    if key := _KEY.search(text):
        return PoolReason(PoolWhy.REQUIREMENT, text, pool, key["key"])
    return PoolReason(next((why for words, why in _PLAIN if words in text), PoolWhy.OTHER), text, pool)


_TARGET = Pattern(r"nodeclaim/(?P<claim>[a-z0-9.-]{1,253})|node/(?P<node>[a-z0-9.-]{1,253})")


def nominated(message: str) -> tuple[str, str]:
    """NodeClaim and node of a Nominated event; empty where it names none."""
    found = {key: one for match in _TARGET.finditer(message[:LONGEST]) for key, one in match.groupdict().items() if one}
    return found.get("claim", ""), found.get("node", "")
