"""What nodes ran before, in memory only, as the recorder keeps it."""

from collections.abc import Mapping
from datetime import datetime

from bot.domain.node_past import FleetPast, NodePast
from bot.gpu.past import Said, looked


class NodeMemory:
    """A `NodePastReader`, and its writer."""

    def __init__(self) -> None:
        self.kept: dict[str, FleetPast] = {}
        self.pruned: list[int] = []

    def past(self, cluster: str) -> FleetPast:
        return self.kept.get(cluster) or FleetPast(cluster=cluster)

    def look(self, cluster: str, told: Mapping[str, Mapping[str, Said]], now: datetime) -> tuple[NodePast, ...]:
        self.kept[cluster], changed = looked(self.past(cluster), told, now)
        return tuple(changed)

    async def prune(self, now: datetime, *, days: int) -> None:
        self.pruned.append(days)
