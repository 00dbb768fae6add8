"""Which namespaces a person may see: asked of the cluster's own authorizer, and remembered for a minute.

Whoever may list pods everywhere is asked about once. While the authorizer does not answer, what it last said holds for
a quarter of an hour: an answer is wanted most when the API server is in trouble. After that everything is hidden.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping

from bot.access.hiding import ALL, Sight
from bot.command import Cluster
from bot.domain.person import Asker, Identity
from bot.ports import Writer

KEPT_SECONDS, BELIEVED_SECONDS = 60.0, 900.0
PEOPLE = 2_000
Key = tuple[str, Identity]


class Seeing:
    """`clock` returns seconds that only grow."""

    def __init__(self, reviewers: Mapping[str, Writer], clock: Callable[[], float]) -> None:
        self._reviewers, self._clock = reviewers, clock
        self._kept: OrderedDict[Key, tuple[float, Sight]] = OrderedDict()

    async def sight(self, asker: Asker, cluster: Cluster) -> Sight:
        """Whoever is mapped to nobody in Kubernetes sees what gpubot's own rules allow, so all of it. Never raises."""
        if asker.identity is None:
            return ALL
        key = (cluster.name, asker.identity)
        at, kept = self._kept.get(key, (0.0, None))
        if kept is not None and self._clock() - at < KEPT_SECONDS:
            return kept
        found = await self._asked(asker.identity, cluster)
        if found.unsure and kept is not None and self._clock() - at < BELIEVED_SECONDS:
            return kept
        if not found.unsure:
            self._keep(key, found)
        return found

    def _keep(self, key: Key, found: Sight) -> None:
        self._kept[key] = (self._clock(), found)
        self._kept.move_to_end(key)
        if len(self._kept) > PEOPLE:
            self._kept.popitem(last=False)

    async def _asked(self, identity: Identity, cluster: Cluster) -> Sight:
        """What could not be found out is hidden."""
        everywhere = await self._may(identity, cluster.name, "")
        if everywhere:
            return ALL
        names = sorted(cluster.view.namespaces)
        answers = await asyncio.gather(*(self._may(identity, cluster.name, name) for name in names))
        hidden = frozenset(name for name, may in zip(names, answers, strict=True) if not may)
        return Sight(hidden, unsure=any(may is None for may in answers))

    async def _may(self, identity: Identity, cluster: str, namespace: str) -> bool | None:
        review = await self._reviewers[cluster].may(identity, "list", resource="pods", namespace=namespace)
        return review.allowed
