"""What Volcano says of a group of pods, taken apart.

volcano-sh/volcano:pkg/scheduler/plugins/gang/gang.go, pkg/scheduler/api/job_info.go, plugins/capacity,
plugins/overcommit.
"""

from dataclasses import dataclass

from bot.domain.pattern import Pattern

_GANG = Pattern(
    r"(?P<bad>\d{1,6})/(?P<all>\d{1,6}) tasks in gang unschedulable: pod group is not ready, (?P<rest>[^\n]*)"
)
_STATES = Pattern(r"(?P<number>\d{1,6}) (?P<state>Pending|Unschedulable|Schedulable|Undetermined|minAvailable|Running)")
_ORIGIN = Pattern(r"Origin reason is (?P<task>[^:\s]+): (?P<why>.+)")
_SHORT = Pattern(r"insufficient (?P<resource>[a-zA-Z0-9./-]+)")
_OVERUSED = Pattern(r"resource in cluster is overused: (?P<why>.+)")
LONGEST = 2000  # characters that are looked at


@dataclass(frozen=True, slots=True)
class Gang:
    """`states`: how many members are in which state; `culprit`: the first member without a place, and `why`."""

    unschedulable: int
    total: int
    states: dict[str, int]
    culprit: str = ""
    why: str = ""


def gang(message: str) -> Gang | None:
    found = _GANG.search(message[:LONGEST])
    if found is None:
        return None
    rest = found["rest"]
    origin = _ORIGIN.search(rest)
    states: dict[str, int] = {}
    for one in _STATES.finditer(rest[: origin.start()] if origin else rest):
        states[one["state"]] = int(one["number"])
    culprit, why = (origin["task"], origin["why"].strip()) if origin else ("", "")
    return Gang(int(found["bad"]), int(found["all"]), states, culprit, why)


def short_resources(message: str) -> tuple[str, ...]:
    """Those that a queue is said to lack, where it says which."""
    return tuple(one["resource"] for one in _SHORT.finditer(message[:LONGEST]))


def overused(message: str) -> str:
    """What the cluster is said to have promised too much of."""
    found = _OVERUSED.search(message[:LONGEST])
    return found["why"].strip() if found else ""
