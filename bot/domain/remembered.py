"""What was found out about records and still holds, because records never change: asked again only of new ones.

Both classes are part of a `View` (see `View.each_node` and `View.pods_that`), which tells them of changes.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.record import Record
from bot.domain.text import natural

KEPT = 16_384  # names for which an answer is kept: more than there are nodes in a cluster
RecordT = TypeVar("RecordT", bound=Record)
AnswerT = TypeVar("AnswerT")
OthersT = ParamSpec("OthersT")


def of_latest(
    find: Callable[Concatenate[RecordT, OthersT], AnswerT],
) -> Callable[Concatenate[RecordT, OthersT], AnswerT]:
    """`find`, which answers again only for another record of that name or for other arguments, which can be hashed.

    For records without a namespace. Records that were replaced are not kept.
    """

    @lru_cache(maxsize=KEPT)
    def cell(name: str, *others: object) -> list[Any]:
        del name, others
        return []

    @wraps(find)
    def remembered(record: RecordT, /, *others: OthersT.args, **named: OthersT.kwargs) -> AnswerT:
        kept = cell(record.name, *others)
        if not kept or kept[0] is not record:
            kept[:] = record, find(record, *others, **named)
        answer: AnswerT = kept[1]
        return answer

    return remembered


class NodeFacts:
    """What functions say of nodes, each with the names of nodes that have changed since it was asked last."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self._nodes = nodes
        self._found: dict[Callable[[Node], Any], tuple[dict[str, Any], set[str]]] = {}
        self._places: dict[str, int] = {}

    def of(self, find: Callable[[Node], Any]) -> Mapping[str, Any]:
        """By the node's name. It must not be changed, and holds until a node changes."""
        known = self._found.get(find)
        if known is None:
            known = self._found[find] = ({name: find(node) for name, node in self._nodes.items()}, set())
        found, changed = known
        while changed:
            name = changed.pop()
            node = self._nodes.get(name)
            if node is None:
                found.pop(name, None)
            else:
                found[name] = find(node)
        return found

    def places(self) -> Mapping[str, int]:
        """Each node's number among all, sorted by name as people do."""
        if not self._places:
            self._places = {name: place for place, name in enumerate(sorted(self._nodes, key=natural))}
        return self._places

    def changed(self, name: str) -> None:
        if (name in self._places) != (name in self._nodes):
            self._places = {}
        for _, names in self._found.values():
            names.add(name)


class PodSorts:
    """The keys of pods of which a function is true. Few functions are ever asked, and few pods come or go."""

    def __init__(self, pods: Mapping[str, Pod]) -> None:
        self._pods = pods
        self._found: dict[Callable[[Pod], bool], set[str]] = {}

    def of(self, find: Callable[[Pod], bool]) -> list[Pod]:
        known = self._found.get(find)
        if known is None:
            known = self._found[find] = {key for key, pod in self._pods.items() if find(pod)}
        return [self._pods[key] for key in sorted(known)]

    def changed(self, old: Pod | None, new: Pod | None) -> None:
        for find, keys in self._found.items():
            if old is not None:
                keys.discard(old.key)
            if new is not None and find(new):
                keys.add(new.key)
