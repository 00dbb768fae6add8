"""Which nodes the checklist is due for, by what the store remembers of them, and what came of it when it was last run.

A node is due when it joins, and when its driver, kubelet or device plugin runs another version. While it still comes up
nothing is concluded: it is judged again until it has settled, or half an hour has gone by.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.checks.preflight.report import NodeReport
from bot.domain.node_past import FleetPast, Held, NodePast
from bot.domain.words import names
from bot.gpu.past import Moved
from bot.gpu.versions import DRIVER, PLUGIN

PARTS = (DRIVER, "kubelet", PLUGIN)
SETTLES = timedelta(minutes=30)  # ours: longer than a driver takes to be built
JOINED = timedelta(minutes=15)  # the parts of a node that joins are told one after the other


@dataclass(frozen=True, slots=True)
class Due:
    """`why` goes on after the node's name: "joined", "runs driver 590.48.01, was 580.95.05"."""

    node: str
    why: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Kept:
    """The checklist of one node as it was run by itself."""

    cluster: str
    due: Due
    report: NodeReport
    at: datetime


class Preflights:
    """In memory only: after a restart of the bot nothing is due that was there before."""

    def __init__(self, started_at: datetime) -> None:
        self._started_at = started_at
        self._kept: dict[tuple[str, str], Kept] = {}

    def last(self, cluster: str, node: str) -> Kept | None:
        return self._kept.get((cluster, node))

    def due(self, past: FleetPast) -> Iterator[Due]:
        """Nodes that joined or changed since the checklist was run for them."""
        for node in past.nodes.values():
            changed = [held for part in PARTS if (held := node.now(part)) is not None]
            since = max((held.since for held in changed), default=None)
            if since is not None and since != past.since and since > self._judged_at(past.cluster, node.node):
                yield Due(node.node, _why(node, since), since)

    def put(self, kept: Kept) -> bool:
        """Keep that; whether it is the last word on what was due: False while the node still comes up."""
        if kept.report.changing and kept.at - kept.due.since < SETTLES:
            return False
        self._kept[kept.cluster, kept.due.node] = kept
        return True

    def untold(self, kept: Kept) -> None:
        """It could not be told: it is due again."""
        self._kept.pop((kept.cluster, kept.due.node), None)

    def forget(self, cluster: str, nodes: frozenset[str]) -> None:
        """All but these are gone."""
        self._kept = {key: one for key, one in self._kept.items() if key[0] != cluster or key[1] in nodes}

    def _judged_at(self, cluster: str, node: str) -> datetime:
        kept = self._kept.get((cluster, node))
        return self._started_at if kept is None else max(self._started_at, kept.due.since)


def _why(node: NodePast, since: datetime) -> str:
    """What changed last; a node whose every version is new joined."""
    first = min(held[0].since for held in node.parts.values())
    moved = [
        Moved(node.node, part, before, now)
        for part in PARTS
        if (now := node.now(part)) is not None and (before := node.before(part)) is not None and now.since == since
    ]
    if not moved:
        return "joined" if since - first <= JOINED else f"got a {names(list(_new(node, since)))}"
    return "runs " + names([f"{one.part} {one.now.value} (was {one.before.value})" for one in moved])


def _new(node: NodePast, since: datetime) -> Iterator[str]:
    yield from (part for part in PARTS if _first(node.parts.get(part, ())) == since)


def _first(held: tuple[Held, ...]) -> datetime | None:
    return held[0].since if held else None
