"""All kinds of change, by name."""

from collections.abc import Mapping

from bot.changes import kinds
from bot.changes.kind import ChangeKind
from bot.registry import collect


def change_kinds() -> Mapping[str, ChangeKind]:
    return {one.name: one for one in collect(kinds, "CHANGE", ChangeKind)}
