"""One kind of GPU in one node pool: its nodes and their sums."""

from collections.abc import Iterable

import msgspec

from bot.gpu.kind import Kind
from bot.gpu.row import GpuNode, Row
from bot.gpu.tally import Tally
from bot.gpu.totals import Totals


class GroupKey(msgspec.Struct, frozen=True, gc=False):
    """What makes nodes comparable."""

    kind: Kind
    pool: str


class Group:
    """The nodes of one kind and pool."""

    def __init__(self, key: GroupKey) -> None:
        self.key = key
        self.nodes: dict[str, tuple[GpuNode, tuple[Row, ...]]] = {}
        self._tally = Tally(key.kind)
        self._totals: Totals | None = None

    def put(self, node: GpuNode, rows: Iterable[Row]) -> None:
        self.take(node.name)
        added = self.nodes[node.name] = (node, tuple(rows))
        self._tally.add(*added)
        self._totals = None

    def take(self, name: str) -> None:
        removed = self.nodes.pop(name, None)
        if removed is not None:
            self._tally.remove(*removed)
            self._totals = None

    def totals(self) -> Totals:
        if self._totals is None:
            self._totals = self._tally.totals()
        return self._totals
