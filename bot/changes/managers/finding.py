"""Asks every recogniser of `kinds` who writes an object."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from bot.changes.managers import kinds
from bot.changes.managers.entries import entries
from bot.changes.managers.kinds.applier import appliers
from bot.changes.managers.manager import Manager, Object, Recogniser
from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.registry import collect


def managers(raw: dict[str, Any], others: Iterable[Thing] = ()) -> tuple[Manager, ...]:
    """The most immediate first. `others`: HorizontalPodAutoscalers and ScaledObjects of its namespace."""
    fields = Fields(raw, "object")
    obj = Object(fields, entries(fields), tuple(others))
    found = [manager for each in recognisers() if (manager := each.find(obj)) is not None]
    claims = tuple(claim for each in recognisers() for claim in each.claims)
    return (*found, *appliers(obj, claims))


@cache
def recognisers() -> tuple[Recogniser, ...]:
    return tuple(sorted(collect(kinds, "MANAGER", Recogniser), key=lambda each: each.rank))
