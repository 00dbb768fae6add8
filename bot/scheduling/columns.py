"""One property of all nodes side by side: thousands of nodes differ in a few ways, and each way is judged once.

A column belongs to a `Snapshot` and has the order of its `infos`. Filters that read nothing else of a node judge all of
them by columns (`Filter.column`), which pods that wait for the same things share.
"""

from collections.abc import Callable, Hashable, Iterable
from itertools import repeat
from typing import Any, NamedTuple, TypeVar

from bot.scheduling.node_info import NodeInfo
from bot.scheduling.snapshot import Snapshot

AnswerT = TypeVar("AnswerT")


class Column(NamedTuple):
    """`kinds` has the number of each node's value, `values[kind]` is the value, `samples[kind]` a node that has it."""

    kinds: list[int]
    values: list[Any]
    samples: list[int]

    def told(self, answers: list[AnswerT]) -> list[AnswerT]:
        """For each node, from what is said of each value."""
        return [answers[kind] for kind in self.kinds]


def column(snapshot: Snapshot, key: Hashable, value: Callable[[NodeInfo], Hashable]) -> Column:
    """`key` names the property: for one snapshot it is read once."""
    return snapshot.once((__name__, key), lambda: _column(map(value, snapshot.infos.values())))


def amounts(snapshot: Snapshot, resource: str) -> Column:
    """How much is in use, and how much there is."""

    def value(info: NodeInfo) -> tuple[int, int]:
        return info.requested.get(resource, 0), info.node.allocatable.get(resource, 0)

    return column(snapshot, ("amounts", resource), value)


def label(snapshot: Snapshot, name: str) -> Column:
    """Its value; None where a node has no such label."""
    return column(snapshot, ("label", name), lambda info: info.node.labels.get(name))


def taints(snapshot: Snapshot) -> Column:
    """Few nodes share a tuple, many an equal one."""
    return column(snapshot, "taints", lambda info: info.node.taints)


def with_room(snapshot: Snapshot, asked: Iterable[tuple[str, int]]) -> list[NodeInfo]:
    """Nodes that have that much of everything free, counting nothing but amounts."""
    wanted = tuple(asked)
    return snapshot.once((__name__, "room", wanted), lambda: _with_room(snapshot, wanted))


def _with_room(snapshot: Snapshot, wanted: tuple[tuple[str, int], ...]) -> list[NodeInfo]:
    found = [True] * len(snapshot.infos)
    for resource, amount in wanted:
        one = amounts(snapshot, resource)
        enough = one.told([there - used >= amount for used, there in one.values])
        found = [both and more for both, more in zip(found, enough, strict=True)]
    return [info for info, fits in zip(snapshot.infos.values(), found, strict=True) if fits]


def crossed(columns: list[Column]) -> Column:
    """The combinations of several; their values are tuples."""
    if len(columns) == 1:
        (only,) = columns
        return Column(only.kinds, [(value,) for value in only.values], only.samples)
    found = combined([one.kinds for one in columns], len(columns[0].kinds))
    values = [tuple(one.values[kind] for one, kind in zip(columns, kinds, strict=True)) for kinds in found.values]
    return Column(found.kinds, values, found.samples)


def combined(columns: list[list[int]], length: int) -> Column:
    """Nodes that are the same in all columns are of one kind."""
    return _column(zip(*columns, strict=True) if columns else repeat((), length))


def _column(values: Iterable[Any]) -> Column:
    known: dict[Any, int] = {}
    kinds = [known.setdefault(value, len(known)) for value in values]
    samples = [0] * len(known)
    for number in range(len(kinds) - 1, -1, -1):
        samples[kinds[number]] = number
    return Column(kinds, list(known), samples)
