"""What an actor is: it does what one kind of intent asks for, and returns what is shown instead of the preview."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from bot.acting.incidents.sweeper import Sweeper
from bot.command import Cluster
from bot.domain.document import Document
from bot.domain.intent import Intent
from bot.domain.person import Asker
from bot.ports import BenchStore, ChangeService, ChangeStore, IncidentStore, Loader, Posts, Writer

IntentT = TypeVar("IntentT", bound=Intent)


@dataclass(frozen=True, slots=True)
class Doing:
    """Who asks, about which cluster, and what can be used for it; None: not there, and the actor says so."""

    asker: Asker
    cluster: Cluster
    now: Callable[[], datetime]
    changes: ChangeStore | None = None
    writer: Writer | None = None
    changing: ChangeService | None = None
    incidents: IncidentStore | None = None
    sweeper: Sweeper | None = None
    posts: Posts | None = None
    loader: Loader | None = None
    benches: BenchStore | None = None


@dataclass(frozen=True, slots=True)
class Actor(Generic[IntentT]):
    """`act` raises UserError or UpstreamError with a sentence for the person."""

    kind: type[IntentT]
    act: Callable[[IntentT, Doing], Awaitable[Document]]
