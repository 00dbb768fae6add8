"""What nodes ran before, in words: changes of the last weeks, and which of them went back."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from bot.domain.node_past import FleetPast, NodePast
from bot.domain.text import inert
from bot.domain.words import duration, names
from bot.gpu.past import Moved, moves, steps_back
from bot.gpu.versions import PARTS

SHOWN = timedelta(days=30)
NODES_SHOWN = 4
_OTHERS = ("GPUs", "product")


def backs(past: FleetPast | None, nodes: Iterable[str], now: datetime) -> list[str]:
    """`gpu-4's driver went back from 580.95.05 to 570.172.08 2 d ago`, nodes with the same together."""
    alike: dict[tuple[str, str, str], list[Moved]] = {}
    for one in (back for node in _of(past, nodes) for back in steps_back(node)):
        if _ago(one, now) <= SHOWN:
            alike.setdefault((one.part, one.before.value, one.now.value), []).append(one)
    return [_back(group, now) for group in alike.values()]


def _back(group: list[Moved], now: datetime) -> str:
    one = max(group, key=lambda each: each.now.since)
    whose = names([each.node for each in group], NODES_SHOWN)
    from_to = f"from {inert(one.before.value, 60)} to {inert(one.now.value, 60)}"
    return f"{whose}: {one.part} went back {from_to} {_when(one, now)}"


def changes(past: FleetPast | None, nodes: Iterable[str], now: datetime) -> list[str]:
    """`driver was 580.82.07 until 2 d ago on gpu-1 and gpu-2`, the newest change first."""
    alike: dict[tuple[str, str], list[Moved]] = {}
    for one in (moved for node in _of(past, nodes) for moved in _lately(node, now)):
        alike.setdefault((one.part, one.before.value), []).append(one)
    newest = sorted(alike.values(), key=lambda group: min(_ago(one, now) for one in group))
    return [f"{_was(group[0], now)} on {names([one.node for one in group], NODES_SHOWN)}" for group in newest]


def of_node(past: NodePast | None, now: datetime) -> str:
    """`driver was 580.95.05 until 2 d ago, kubelet was v1.35.4 until 3 d ago`; empty where nothing changed."""
    return ", ".join(_was(one, now) for one in _lately(past, now)) if past is not None else ""


def _of(past: FleetPast | None, nodes: Iterable[str]) -> Iterator[NodePast]:
    for name in nodes:
        found = past.of(name) if past is not None else None
        if found is not None:
            yield found


def _lately(past: NodePast, now: datetime) -> Iterator[Moved]:
    yield from (one for one in moves(past, (*PARTS, *_OTHERS)) if _ago(one, now) <= SHOWN)


def _was(one: Moved, now: datetime) -> str:
    return f"{one.part} was {inert(one.before.value, 60)} until {_when(one, now)}"


def _when(one: Moved, now: datetime) -> str:
    return f"{duration(max(1.0, _ago(one, now).total_seconds()))} ago"


def _ago(one: Moved, now: datetime) -> timedelta:
    return now - one.now.since
