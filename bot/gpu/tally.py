"""Sums of nodes that come and go one at a time: a change costs its own node, however many others there are."""

from collections import Counter
from collections.abc import Hashable
from typing import TypeVar

from bot.domain.text import natural
from bot.gpu.holders import Holders
from bot.gpu.kind import Kind
from bot.gpu.row import GpuNode, Row
from bot.gpu.totals import COLUMNS, SAMPLE, Bucket, Names, Totals

_Key = TypeVar("_Key", bound=Hashable)


class Members:
    """Names of like nodes; the first few in order are known at any time. `held`: namespace → how many on them."""

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()
        self._names: set[str] = set()
        self._first: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._names)

    def add(self, name: str) -> None:
        self._names.add(name)
        if name not in self._first and (len(self._first) < SAMPLE or natural(name) < natural(self._first[-1])):
            self._first = sorted([*self._first, name], key=natural)[:SAMPLE]

    def discard(self, name: str) -> None:
        self._names.discard(name)
        if name in self._first:  # seldom: then the next in order has to be looked for
            self._first = sorted(self._names, key=natural)[:SAMPLE]

    @property
    def first(self) -> str:
        return self._first[0]

    def names(self) -> Names:
        return Names(len(self._names), list(self._first), +self.held)


class Tally:
    """The sums of one kind over the nodes that were added and not removed since."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._nodes = 0
        self._sums = dict.fromkeys(COLUMNS, 0)
        self._free: dict[int, Members] = {}  # by how many are free on each
        self._buckets: dict[Bucket, Members] = {}
        self._holders = Holders()
        self._lost: dict[str, Row] = {}
        self._over: dict[str, Row] = {}

    def add(self, node: GpuNode, rows: tuple[Row, ...]) -> None:
        self._count(node, rows, +1)
        for row in rows:
            if row.free:
                _join(self._free, row.free, node.name)
            _join(self._buckets, _bucket(node, row), node.name)
            self._buckets[_bucket(node, row)].held.update(self._spaces(node))
            if row.lost:
                self._lost[node.name] = row
            if row.over:
                self._over[node.name] = row

    def remove(self, node: GpuNode, rows: tuple[Row, ...]) -> None:
        """With the rows that it was added with."""
        self._count(node, rows, -1)
        for row in rows:
            _leave(self._free, row.free, node.name)
            if (bucket := _bucket(node, row)) in self._buckets:
                self._buckets[bucket].held.subtract(self._spaces(node))
            _leave(self._buckets, bucket, node.name)
        self._lost.pop(node.name, None)
        self._over.pop(node.name, None)

    def totals(self) -> Totals:
        """As they stand now. `holders` is not copied: it is read before anything changes."""
        largest = max(self._free, default=0)
        return Totals(
            nodes=self._nodes,
            sums=Counter(self._sums),
            largest=largest,
            largest_on=self._free[largest].first if largest else "",
            buckets={bucket: members.names() for bucket, members in self._buckets.items()},
            holders=self._holders.by,
            lost=dict(self._lost),
            over=dict(self._over),
        )

    def _spaces(self, node: GpuNode) -> Counter[str]:
        spaces: Counter[str] = Counter()
        for holding in node.holdings:
            if holding.kind == self._kind:
                spaces[holding.namespace] += holding.amount
        return spaces

    def _count(self, node: GpuNode, rows: tuple[Row, ...], sign: int) -> None:
        self._nodes += sign
        for row in rows:
            for column in COLUMNS:
                value = getattr(row, column)
                if value:
                    self._sums[column] += sign * value
        for holding in node.holdings:
            if holding.kind == self._kind:
                self._holders.change(holding, sign)


def _bucket(node: GpuNode, row: Row) -> Bucket:
    left = row.free + row.reserved + row.cordoned + row.not_ready + row.stranded
    return Bucket(node.state, left, row.total, node.why)


def _join(groups: dict[_Key, Members], key: _Key, name: str) -> None:
    groups.setdefault(key, Members()).add(name)


def _leave(groups: dict[_Key, Members], key: _Key, name: str) -> None:
    members = groups.get(key)
    if members is not None:  # gone already where two rows of the node are alike
        members.discard(name)
        if not members:
            del groups[key]
