"""What KAI says of a queue that has no room, taken apart.

NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/proportion/capacity_policy, pkg/scheduler/api/job_info.go. Amounts may be
fractions; a resource stands where GPUs stand here.
"""

import re
from dataclasses import dataclass

from bot.domain.pattern import Pattern

LONGEST = 2000  # characters that are looked at
_OVER_QUOTA = Pattern(
    r"orkload requested (?P<asked>[\d.]{1,12}) (?P<what>[\w ]{1,30}?), but (?P<queue>\S{1,253}) quota is "
    r"(?P<most>[\d.]{1,12}) [\w ]{1,30}?, while (?P<used>[\d.]{1,12}) "
)
_LIMIT = Pattern(
    r"(?P<queue>\S{1,253}) quota has reached the allowable limit of (?P<what>[\w ]{1,30}?)\. Limit is "
    r"(?P<most>[\d.]{1,12}) [\w ]{1,30}?, currently (?P<used>[\d.]{1,12}) [\w ]{1,30}? allocated and workload "
    r"requested (?P<asked>[\d.]{1,12})"
)


@dataclass(frozen=True, slots=True)
class Sum:
    """`used` of `most` are used in that queue, and `asked` more are asked for; `what` is `GPUs` or another resource."""

    queue: str
    what: str
    asked: str
    used: str
    most: str


def over_quota(message: str) -> Sum | None:
    """Of a workload that may not be evicted."""
    return _sum(_OVER_QUOTA.search(message[:LONGEST]))


def at_limit(message: str) -> Sum | None:
    """The queue that is named may be one above the workload's own."""
    return _sum(_LIMIT.search(message[:LONGEST]))


def _sum(found: re.Match[str] | None) -> Sum | None:
    if found is None:
        return None
    return Sum(found["queue"], found["what"], found["asked"], found["used"], found["most"].rstrip("."))
