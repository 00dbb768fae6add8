"""What each source says of itself now: API servers, Slack, the store, the agents of each pool."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.acting.blindness import SLACK, STORE, Heard, Limits
from bot.command import Cluster
from bot.domain.errors import UpstreamError

Agents = Callable[[str], Mapping[str, datetime]]  # of a cluster, when each node's agent was heard last
_READ = ("nodes", "pods")


@dataclass(slots=True)
class Ears:
    """slack: empty while we hear it, else why not. store: asks it something; raises UpstreamError."""

    clusters: Mapping[str, Cluster]
    limits: Limits
    slack: Callable[[], Awaitable[str]]
    store: Callable[[], Awaitable[object]]
    agents: Agents
    now: Callable[[], datetime]
    _last: dict[str, datetime] = field(default_factory=dict)

    async def heard(self) -> list[Heard]:
        """Every source; one that answers now is heard now."""
        found = [*self._servers(), *self._pools()]
        found.append(self._asked(SLACK, self.limits.slack, await self.slack(), "Nobody is answered there meanwhile."))
        trouble = await self._store_trouble()
        means = "Alerts are not decided and nothing can be changed meanwhile."
        return [*found, self._asked(STORE, self.limits.store, trouble, means)]

    def _asked(self, source: str, limit_seconds: float, trouble: str, means: str) -> Heard:
        if not trouble:
            self._last[source] = self.now()
        return Heard(source, limit_seconds, self._last.get(source), trouble, means)

    async def _store_trouble(self) -> str:
        try:
            await self.store()
        except UpstreamError as error:
            return str(error)
        return ""

    def _servers(self) -> Iterator[Heard]:
        for name, cluster in self.clusters.items():
            sources = [cluster.view.source(kind) for kind in _READ]
            times = [one.heard_at for one in sources if one.heard_at is not None]
            at = min(times) if len(times) == len(sources) else None
            why = next((one.detail for one in sources if one.detail), "")
            means = "What I say of it is as old as that, and no new fault there is seen."
            yield Heard(f"the API server of {name}", self.limits.cluster, at, why, means)

    def _pools(self) -> Iterator[Heard]:
        """Pools in which some agent was heard: all of them silent is a fault of ours, one of them is a node's."""
        for name, cluster in self.clusters.items():
            newest: dict[str, datetime] = {}
            for node, at in self.agents(name).items():
                found = cluster.inventory.nodes.get(node)
                pool = found.pool if found is not None else ""
                newest[pool] = max(at, newest.get(pool, at))
            for pool, at in sorted(newest.items()):
                source = f"the agents of {name}" + (f", pool {pool}" if pool else "")
                yield Heard(source, self.limits.agents, at, "", "Faults that only they see go unseen.")
