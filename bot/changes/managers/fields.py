"""Which fields a step would set, and whose they are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bot.changes.managers.manager import Manager
from bot.domain.change import Step, Verb

REPLICAS = ".spec.replicas"
_NOT_OURS_TO_SET = (".apiVersion", ".kind", ".metadata.name", ".metadata.namespace", ".metadata.uid")
_INDEX = re.compile(r"\[[^\]]*\]")


def touched(step: Step) -> tuple[str, ...]:
    """The fields that a patch or an apply would set. A scale is the object's replicas, whatever its kind calls them.

    A creation, a deletion and an eviction set none.
    """
    if step.verb not in (Verb.PATCH, Verb.APPLY):
        return ()
    if step.target.subresource == "scale":
        return (REPLICAS,)
    return tuple(path for path in _leaves(step.body, "") if path not in _NOT_OURS_TO_SET)


def concerned(found: Iterable[Manager], wanted: Sequence[str]) -> tuple[Manager, ...]:
    """The managers that own one of those fields, or a part of one."""
    return tuple(
        manager
        for manager in found
        if manager.all_fields or any(overlap(own, field) for own in manager.fields for field in wanted)
    )


def overlap(one: str, other: str) -> bool:
    """Whether the one is the other or lies in it. Items of lists are not told apart: a patch replaces whole lists."""
    first, second = _steps(one), _steps(other)
    shorter = min(len(first), len(second))
    return bool(shorter) and first[:shorter] == second[:shorter]


def _steps(path: str) -> list[str]:
    """Labels and annotations have dots in their keys, so what comes after them stays in one piece."""
    plain = _INDEX.sub("", path).lstrip(".")
    for parent in ("metadata.labels.", "metadata.annotations."):
        before, found, key = plain.partition(parent)
        if found:
            return [*(step for step in (before + parent).split(".") if step), key]
    return [step for step in plain.split(".") if step]


def _leaves(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}")
    elif path:
        yield path
