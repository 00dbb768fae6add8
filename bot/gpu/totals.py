"""What is summed over nodes, for one kind of GPU: in one node pool, or in all of them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from bot.domain.text import natural
from bot.gpu.row import Row, State

Holders = Mapping[str, Mapping[str, Mapping[str, int]]]
SAMPLE = 8  # names that are kept per bucket of like nodes
COLUMNS = (
    "total", "capacity", "allocatable", "used", "preemptible", "burn_in", "terminating", "free",
    "reserved", "cordoned", "not_ready", "stranded", "lost", "over",
)  # fmt: skip


class Bucket(msgspec.Struct, frozen=True, gc=False):
    """Nodes that look the same: their state, how many are left on each, how many each has, what stands in the way."""

    state: State
    left: int
    size: int
    why: str


@dataclass(slots=True)
class Names:
    """How many nodes, the first few of them by name, and how many the namespaces hold on them."""

    count: int = 0
    first: list[str] = field(default_factory=list)
    held: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Names") -> None:
        self.count += other.count
        self.held.update(other.held)
        self.first = sorted([*self.first, *other.first], key=natural)[:SAMPLE]


@dataclass(slots=True)
class Totals:
    """Sums over nodes. `sums` has the columns of Row; `largest` is the most that is free on one node, and where."""

    nodes: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    largest: int = 0
    largest_on: str = ""
    buckets: dict[Bucket, Names] = field(default_factory=dict)
    holders: Holders = field(default_factory=dict)  # of one pool, see bot.gpu.holders
    lost: dict[str, Row] = field(default_factory=dict)  # by node
    over: dict[str, Row] = field(default_factory=dict)

    def add(self, other: "Totals") -> None:
        """Fold another group's sums into these, all but the holders."""
        self.nodes += other.nodes
        self.sums.update(other.sums)
        if not self.largest_on or _before(other, self.largest, self.largest_on):
            self.largest, self.largest_on = other.largest, other.largest_on
        for bucket, names in other.buckets.items():
            self.buckets.setdefault(bucket, Names()).add(names)
        self.lost |= other.lost
        self.over |= other.over


def _before(totals: Totals, largest: int, on: str) -> bool:
    """Whether these totals have more free on one node, or as much on one that comes first."""
    return (-totals.largest, natural(totals.largest_on)) < (-largest, natural(on))
