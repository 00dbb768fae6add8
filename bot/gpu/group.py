"""One kind of GPU in one node pool: its nodes and their sums, made anew only when a node of it changed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from bot.domain.text import natural
from bot.gpu.kind import Kind
from bot.gpu.row import GpuNode, Holding, Row, State

SAMPLE = 8  # names that are kept per bucket of like nodes
COLUMNS = (
    "total", "capacity", "allocatable", "used", "preemptible", "burn_in", "terminating", "free",
    "reserved", "cordoned", "not_ready", "stranded", "lost", "over",
)  # fmt: skip


class GroupKey(msgspec.Struct, frozen=True, gc=False):
    """What makes nodes comparable."""

    kind: Kind
    pool: str


class Holder(msgspec.Struct, frozen=True, gc=False):
    """Somebody who holds GPUs, as fine as any question asks."""

    team: str
    namespace: str
    owner_kind: str
    owner: str


class Bucket(msgspec.Struct, frozen=True, gc=False):
    """Nodes that look the same: their state, how many are left on each, how many each has, what stands in the way."""

    state: State
    left: int
    size: int
    why: str


@dataclass(slots=True)
class Names:
    """How many nodes, and the first few of them by name."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, other: "Names") -> None:
        self.count += other.count
        self.first = sorted([*self.first, *other.first], key=natural)[:SAMPLE]


@dataclass(slots=True)
class Totals:
    """Sums over nodes. `sums` has the columns of Row; `largest` is the most that is free on one node, and where."""

    nodes: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    largest: int = 0
    largest_on: str = ""
    buckets: dict[Bucket, Names] = field(default_factory=dict)
    holders: Counter[Holder] = field(default_factory=Counter)
    lost: dict[str, Row] = field(default_factory=dict)  # by node
    over: dict[str, Row] = field(default_factory=dict)

    def add(self, other: "Totals") -> None:
        """Fold another group's sums into these."""
        self.nodes += other.nodes
        self.sums.update(other.sums)
        if not self.largest_on or _before(other, self.largest, self.largest_on):
            self.largest, self.largest_on = other.largest, other.largest_on
        for bucket, names in other.buckets.items():
            self.buckets.setdefault(bucket, Names()).add(names)
        self.holders.update(other.holders)
        self.lost |= other.lost
        self.over |= other.over


class Group:
    """The nodes of one kind and pool."""

    def __init__(self, key: GroupKey) -> None:
        self.key = key
        self.nodes: dict[str, tuple[GpuNode, tuple[Row, ...]]] = {}
        self._totals: Totals | None = None

    def put(self, node: GpuNode, rows: Iterable[Row]) -> None:
        self.nodes[node.name] = (node, tuple(rows))
        self._totals = None

    def take(self, name: str) -> None:
        self.nodes.pop(name, None)
        self._totals = None

    def totals(self) -> Totals:
        if self._totals is None:
            self._totals = sum_up(self.key.kind, self.nodes.values())
        return self._totals


def sum_up(kind: Kind, nodes: Iterable[tuple[GpuNode, tuple[Row, ...]]]) -> Totals:
    """The sums of these nodes' rows of one kind."""
    totals = Totals()
    sums = dict.fromkeys(COLUMNS, 0)
    members: dict[Bucket, list[str]] = {}
    for node, rows in nodes:
        totals.nodes += 1
        for row in rows:
            for column in COLUMNS:
                value = getattr(row, column)
                if value:
                    sums[column] += value
            if row.free > totals.largest or (
                row.free == totals.largest > 0 and natural(node.name) < natural(totals.largest_on)
            ):
                totals.largest, totals.largest_on = row.free, node.name
            if row.lost:
                totals.lost[node.name] = row
            if row.over:
                totals.over[node.name] = row
            left = row.free + row.reserved + row.cordoned + row.not_ready + row.stranded
            members.setdefault(Bucket(node.state, left, row.total, node.why), []).append(node.name)
        for holding in node.holdings:
            if holding.kind == kind:
                totals.holders[_holder(holding)] += holding.amount
    totals.sums = Counter(sums)
    totals.buckets = {
        bucket: Names(len(names), sorted(names, key=natural)[:SAMPLE]) for bucket, names in members.items()
    }
    return totals


def _before(totals: Totals, largest: int, on: str) -> bool:
    """Whether these totals have more free on one node, or as much on one that comes first."""
    return (-totals.largest, natural(totals.largest_on)) < (-largest, natural(on))


def _holder(holding: Holding) -> Holder:
    return Holder(holding.team, holding.namespace, holding.owner_kind, holding.owner)
