"""What a job is, and what it may use."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.command import Cluster
from bot.domain.history import Change, History, Observation


class Memory(Protocol):
    """The history of waiting pods: read and added to without waiting, thinned out in the background."""

    def history(self, cluster: str) -> History: ...

    def observe(self, cluster: str, observations: Iterable[Observation], now: datetime) -> tuple[Change, ...]: ...

    async def prune(self, now: datetime, *, days: int, at_most: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that jobs work with. `kept_days`: how long history is kept."""

    clusters: Mapping[str, Cluster]
    memory: Memory
    now: Callable[[], datetime]
    kept_days: int


@dataclass(frozen=True, slots=True)
class Job:
    """`run` is called every so many seconds, never twice at a time; what it raises is logged and it is called again."""

    name: str
    every_seconds: float
    run: Callable[[Services], Awaitable[None]]
    page: str = ""
