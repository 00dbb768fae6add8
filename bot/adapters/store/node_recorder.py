"""What nodes ran, in memory, and its way into the database behind everybody's back. Reading it never waits."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import msgspec

from bot.adapters.cluster.backoff import Backoff
from bot.adapters.store.behind import Behind
from bot.adapters.store.errors import StoreUnavailableError
from bot.adapters.store.node_versions import NodeVersions
from bot.adapters.store.store import Store
from bot.domain.node_past import FleetPast, NodePast
from bot.gpu.past import Said, looked

SEEN_EVERY = timedelta(days=1)  # a node on which nothing changes is marked as seen so often
UNSAVED_AT_MOST = 20_000  # nodes


class NodeRecorder:
    """A `NodePasts` for those who read, and its writer. One for all clusters."""

    def __init__(self, url: str, clusters: Iterable[str], *, backoff: Backoff | None = None) -> None:
        self._url = url
        self._pasts = {cluster: FleetPast(cluster=cluster) for cluster in clusters}
        self._unsaved: dict[tuple[str, str], NodePast] = {}
        self._saved_at: dict[tuple[str, str], datetime] = {}
        self._store: Store | None = None
        self._behind = Behind("node-versions", self._write, backoff=backoff)

    def past(self, cluster: str) -> FleetPast:
        """As it is in memory now; `trouble` where it is not kept."""
        found = self._pasts.get(cluster) or FleetPast(cluster=cluster)
        trouble = f"versions of nodes not kept: {self._behind.trouble}" if self._behind.trouble else ""
        return msgspec.structs.replace(found, trouble=trouble)

    def look(self, cluster: str, told: Mapping[str, Mapping[str, Said]], now: datetime) -> tuple[NodePast, ...]:
        """Remember what is told now (node → part → version); the nodes of which something changed."""
        self._pasts[cluster], changed = looked(self.past(cluster), told, now)
        for past in self._pasts[cluster].nodes.values():
            key = (cluster, past.node)
            if past.node in told and now - self._saved_at.get(key, past.seen_at - SEEN_EVERY) >= SEEN_EVERY:
                self._unsaved[key] = past
        self._unsaved.update({(cluster, past.node): past for past in changed})
        while len(self._unsaved) > UNSAVED_AT_MOST:
            del self._unsaved[next(iter(self._unsaved))]
        if self._unsaved:
            self._behind.wake()
        return tuple(changed)

    async def start(self) -> None:
        """Open and load. Raises ConfigError for what only a person can mend; what is out of reach is tried later."""
        await self._behind.start()

    async def close(self) -> None:
        await self._behind.close()
        if self._store is not None:
            await self._store.close()
            self._store = None

    async def flush(self) -> bool:
        """Write what is unsaved, now; whether that went well."""
        return await self._behind.attempt(self._write)

    async def prune(self, now: datetime, *, days: int) -> None:
        """Forget nodes that were not seen for so long, here and in the database, and versions that ended before."""
        before = now - timedelta(days=days)
        for cluster, past in self._pasts.items():
            kept = {name: one for name, one in past.nodes.items() if one.seen_at >= before}
            self._pasts[cluster] = msgspec.structs.replace(past, nodes=kept)

        async def forget() -> None:
            await self._write()
            if self._store is not None:
                await NodeVersions(self._store).forget(now, days)

        await self._behind.attempt(forget)

    async def _write(self) -> None:
        store = self._store or await self._open()
        taken, self._unsaved = self._unsaved, {}
        try:
            await NodeVersions(store).keep(taken)
        except StoreUnavailableError as error:
            if error.retryable:  # else the same would fail again
                self._unsaved = taken | self._unsaved
            raise
        except BaseException:
            self._unsaved = taken | self._unsaved
            raise
        self._saved_at.update({key: past.seen_at for key, past in taken.items()})

    async def _open(self) -> Store:
        store = await Store.open(self._url)
        try:
            stored = [await NodeVersions(store).past(cluster) for cluster in self._pasts]
        except BaseException:
            await store.close()
            raise
        for past in stored:
            self._continue(past)
        self._store = store
        return store

    def _continue(self, stored: FleetPast) -> None:
        """What was seen before the database could be read continues what it holds."""
        meanwhile = self._pasts[stored.cluster]
        self._pasts[stored.cluster] = stored
        self._saved_at.update({(stored.cluster, name): one.seen_at for name, one in stored.nodes.items()})
        for past in meanwhile.nodes.values():
            told = {part: Said(held[-1].value, held[-1].by) for part, held in past.parts.items()}
            began = min((held[-1].since for held in past.parts.values()), default=past.seen_at)
            self._pasts[stored.cluster], changed = looked(self._pasts[stored.cluster], {past.node: told}, began)
            self._unsaved.pop((stored.cluster, past.node), None)
            self._unsaved.update({(stored.cluster, one.node): one for one in changed})
