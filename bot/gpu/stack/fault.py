"""What is broken between a node's GPUs and pods, as data."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.gpu.stack.sight import Sight


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of one node.

    id: stable, such as `driver_mismatch`. sentence: begins with the node's name, ends without a full stop. `explains`
    are ids of faults that follow from this one. `passes`: it is going on and ends by itself, `until` says when.
    """

    id: str
    node: str
    sentence: str
    evidence: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    useless: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    explains: frozenset[str] = frozenset()
    passes: bool = False
    until: str = ""


Finder = Callable[[Sight], Fault | None]
