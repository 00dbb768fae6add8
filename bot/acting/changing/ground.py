"""What the way of a change stands on: clusters, the record, posts, rules, people, and the time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from bot.access.rules import Rules
from bot.changes.kind import ChangeKind
from bot.domain.change import Change
from bot.domain.document import Document
from bot.domain.errors import NotFoundError
from bot.domain.person import Asker, Identity
from bot.domain.posting import Post
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.ports import ChangeStore, Clock, Looker, Prober, Writer

POLL_SECONDS = 2.0  # between looks at a view that follows a change
LOOK_SECONDS = 5.0  # for what a plan wants looked up; nobody waits for it as for an answer
APPLY_SECONDS = 900.0  # for one step that is told to come again later, as by a disruption budget


class Posts(Protocol):
    """Records what is to stand in a channel; a root whose content changed is edited."""

    async def put(self, posts: Sequence[Post], now: datetime) -> None: ...


@dataclass(frozen=True, slots=True)
class Site:
    """One cluster that can be changed."""

    name: str
    view: View
    inventory: Inventory
    writer: Writer
    looker: Looker | None = None
    prober: Prober | None = None


async def _no_explanation(cluster: str, subject: str) -> Document | None:
    del cluster, subject
    return None


@dataclass(frozen=True, slots=True)
class Ground:
    """people: who somebody is now, by Slack's person, workspace and channel; None for nobody that is known.

    explain: the answer of `/why` about a subject in that cluster; None where there is none.
    """

    sites: Mapping[str, Site]
    store: ChangeStore
    posts: Posts
    kinds: Mapping[str, ChangeKind]
    rules: Callable[[], Rules]
    people: Callable[[str, str, str], Awaitable[Asker | None]]
    now: Clock
    sleep: Callable[[float], Awaitable[None]]
    explain: Callable[[str, str], Awaitable[Document | None]] = _no_explanation
    apply_seconds: float = APPLY_SECONDS
    turns: dict[str, asyncio.Lock] = field(default_factory=dict)

    def turn(self, cluster: str) -> asyncio.Lock:
        """Held from the last look at what was changed within the hour until a change counts there itself: of two
        clicks at once the second sees the first.
        """
        return self.turns.setdefault(cluster, asyncio.Lock())

    def site(self, cluster: str) -> Site:
        """Raises NotFoundError for a cluster that the bot no longer knows."""
        found = self.sites.get(cluster)
        if found is None:
            raise NotFoundError(f"Nothing can be changed in {cluster}: this bot does not know that cluster (any more).")
        return found

    def kind(self, name: str) -> ChangeKind:
        """Raises NotFoundError for a kind of a newer or older version of the bot."""
        found = self.kinds.get(name)
        if found is None:
            raise NotFoundError(f"This version of gpubot knows no change of the kind {name}.")
        return found

    async def requester(self, change: Change) -> Asker | None:
        """Whoever asked for it, with the rights of now."""
        return await self.people(change.requester, change.workspace, change.channel)

    async def identity(self, change: Change) -> Identity | None:
        """In whose name the steps are done; None: in gpubot's own."""
        if not self.rules().identities.impersonate:
            return None
        asker = await self.requester(change)
        return asker.identity if asker else None
