"""Kueue's reasons for not admitting a workload, taken apart.

kubernetes-sigs/kueue:pkg/scheduler/flavorassigner/flavorassigner.go and pkg/cache/scheduler/tas_flavor_snapshot.go.
All releases up to 0.19 are understood; what is not known keeps its text, so that it can be shown as it is.
"""

from dataclasses import dataclass, field
from enum import Enum

from bot.domain.pattern import Pattern

_POD_SET = Pattern(r"couldn't assign flavors to pod set (?P<podset>[^\s:]+): ")
_PREEMPTION = Pattern(r"\.? ?Pending the preemption of (?P<number>\d+) workload\(s\)")


class Why(Enum):
    """What sort of reason it is."""

    USED = "quota is used by others"
    TOO_BIG = "more than the queue can ever have"
    TAINT = "taint"
    AFFINITY = "affinity"
    NO_FLAVOR = "flavor missing"
    NOT_COVERED = "resource not covered"
    TOPOLOGY = "topology"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason; fields that it does not name are empty. `missing`, `asked`, `most` are quantities as written."""

    why: Why
    text: str
    podset: str = ""
    resource: str = ""
    flavor: str = ""
    missing: str = ""
    asked: str = ""
    most: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """`preempting`: how many workloads are being evicted for it."""

    text: str
    reasons: tuple[Reason, ...] = field(default=())
    preempting: int = 0

    def of(self, why: Why) -> tuple[Reason, ...]:
        return tuple(one for one in self.reasons if one.why is why)


_FORMS: tuple[tuple[Why, Pattern], ...] = (
    (
        Why.USED,
        Pattern(
            r"insufficient unused quota (?:in cohort )?for (?P<resource>\S+) (?:in )?flavor (?P<flavor>[^\s,]+), "
            r"(?P<missing>\S+) more needed"
        ),
    ),
    (Why.USED, Pattern(r"borrowing limit for (?P<resource>\S+) in flavor (?P<flavor>\S+) exceeded")),
    (
        Why.TOO_BIG,
        Pattern(r"insufficient quota for (?P<resource>\S+) in flavor (?P<flavor>\S+) in ClusterQueue"),
    ),
    (
        Why.TOO_BIG,
        Pattern(
            r"insufficient quota for (?P<resource>\S+) in flavor (?P<flavor>[^\s,]+), (?:previously considered podsets "
            r"requests \([^)]*\) \+ current podset )?request \(?(?P<asked>[\w.]+)?\)? ?> maximum capacity "
            r"\((?:(?P<asked_too>[\w.]+) > )?(?P<most>[\w.]+)\)"
        ),
    ),
    (Why.TAINT, Pattern(r"untolerated taint (?P<detail>\{.*?\}|\S+) in flavor (?P<flavor>[^\s,;.]+)")),
    (Why.AFFINITY, Pattern(r"flavor (?P<flavor>[^\s,;]+) doesn't match node affinity")),
    (Why.NO_FLAVOR, Pattern(r"flavor (?P<flavor>[^\s,;]+) not found")),
    (Why.NOT_COVERED, Pattern(r"resource (?P<resource>[^\s,;]+) unavailable in ClusterQueue")),
    (Why.NOT_COVERED, Pattern(r"flavor (?P<flavor>[^\s,;]+) does not provide resource (?P<resource>[^\s,;]+)")),
    (Why.TOPOLOGY, Pattern(r'Flavor "(?P<flavor>[^"]+)" does not support TopologyAwareScheduling')),
    (Why.TOPOLOGY, Pattern(r'topology "(?P<flavor>[^"]+)" (?P<detail>(?:doesn\'t allow|allows) to fit .*)')),
)


LONGEST = 4000  # characters that are looked at


def parse(message: str) -> Refusal:
    """Every reason that is found in it, in the order in which they stand."""
    message = message[:LONGEST]
    preemption = _PREEMPTION.search(message)
    preempting = int(preemption["number"][:9]) if preemption else 0
    body = message[: preemption.start()] if preemption else message
    reasons: list[Reason] = []
    for podset, text in _per_pod_set(body):
        reasons += _reasons(text, podset)
    return Refusal(message, tuple(reasons), preempting)


def _per_pod_set(body: str) -> list[tuple[str, str]]:
    heads = list(_POD_SET.finditer(body))
    if not heads:
        return [("", body)]
    ends = [*(head.start() for head in heads[1:]), len(body)]
    return [(head["podset"], body[head.end() : end].rstrip("; ")) for head, end in zip(heads, ends, strict=True)]


def _reasons(text: str, podset: str) -> list[Reason]:
    found: list[tuple[int, Reason]] = []
    for why, form in _FORMS:
        for match in form.finditer(text):
            parts = {name: value for name, value in match.groupdict().items() if value}
            parts["asked"] = parts.pop("asked_too", "") or parts.get("asked", "")
            found.append((match.start(), Reason(why, match.group(), podset, **parts)))
    if not found and text:
        return [Reason(Why.OTHER, text, podset)]
    return [reason for _, reason in sorted(found, key=lambda pair: pair[0])]
