"""What a job is, and what it may use."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.acting.incidents.digesting import Digests
from bot.acting.incidents.sweeper import Sweeper
from bot.acting.watchman import Watchman
from bot.checks.preflight.kept import Kept, Preflights
from bot.command import Cluster
from bot.domain.history import Change, History, Observation
from bot.domain.node_past import FleetPast, NodePast
from bot.gpu.past import Said
from bot.ports import EngineWatch


class Memory(Protocol):
    """The history of waiting pods: read and added to without waiting, thinned out in the background."""

    def history(self, cluster: str) -> History: ...

    def observe(self, cluster: str, observations: Iterable[Observation], now: datetime) -> tuple[Change, ...]: ...

    async def prune(self, now: datetime, *, days: int, at_most: int) -> int: ...


class Forgetful(Protocol):
    """Something that is thinned out in the background."""

    async def prune(self, now: datetime, *, days: int) -> object: ...


class Heart(Protocol):
    """Tells somebody else that we are well. `beat` raises ChatError."""

    def due(self, now: datetime) -> bool: ...

    async def beat(self) -> None: ...


class NodeMemory(Protocol):
    """What nodes ran before: read and added to without waiting, thinned out in the background."""

    def past(self, cluster: str) -> FleetPast: ...

    def look(self, cluster: str, told: Mapping[str, Mapping[str, Said]], now: datetime) -> tuple[NodePast, ...]: ...

    async def prune(self, now: datetime, *, days: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that jobs work with. `kept_days`: how long history is kept.

    nodes: what nodes ran before. preflights: the checklist as it was last run for nodes that joined or changed;
    preflighted: is told each of these, once the node has settled. sweeper: what looks at clusters and has alerts
    decided. digests: when to tell of a day and a week, and where. outbox: what was said in Slack. watchman: says when
    we are blind. heartbeat: stops when we are mute. engines: what inference engines say, asked between looks too.
    """

    clusters: Mapping[str, Cluster]
    memory: Memory
    now: Callable[[], datetime]
    kept_days: int
    nodes: NodeMemory | None = None
    preflights: Preflights | None = None
    preflighted: Callable[[Kept], Awaitable[None]] | None = None
    sweeper: Sweeper | None = None
    digests: Digests | None = None
    outbox: Forgetful | None = None
    watchman: Watchman | None = None
    heartbeat: Heart | None = None
    engines: EngineWatch | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """`run` is called every so many seconds, never twice at a time; what it raises is logged and it is called again."""

    name: str
    every_seconds: float
    run: Callable[[Services], Awaitable[None]]
    page: str = ""
