"""One point of the checklist, and its answer for one node: OK, not OK, or unknown with what would have told."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from bot.domain.answer import Remedy

if TYPE_CHECKING:
    from bot.checks.preflight.ground import Ground


class State(enum.StrEnum):
    """The answer of a point."""

    OK = "ok"
    NOT_OK = "not ok"
    UNKNOWN = "unknown"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One point of one node.

    sentence: begins with the node's name, ends without a full stop. reason: stable, the same for nodes with the same
    trouble. remedies: the safest first. notes: what is no fault and worth knowing, each a sentence about the node.
    follows: the id of an earlier point that explains this one. passes: it is going on and ends by itself.
    """

    state: State
    sentence: str
    reason: str = ""
    evidence: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    notes: tuple[str, ...] = ()
    follows: str = ""
    passes: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """`number` is its place, from the card upwards. `required`: what is unknown here keeps the verdict from "ready".

    title: what is true when it is OK, in a few words. judge: asked only where no check has found something wrong.
    """

    number: int
    id: str
    title: str
    required: bool
    judge: Callable[["Ground"], Outcome]
    page: str = ""
