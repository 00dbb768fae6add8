"""What an inference engine says of itself: its metrics at one time, and what happened between two such times.

None means not told: another engine, an older version, metrics that were not read. It is neither zero nor fine. Names
are the field's own; totals count since the engine started, and begin anew with it.
"""

from bisect import bisect_left
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

import msgspec


class Way(StrEnum):
    """How metrics were reached."""

    DIRECT = "direct"
    PROXY = "proxy"  # through the API server
    PROMETHEUS = "prometheus"
    FILE = "file"


class Histogram(msgspec.Struct, frozen=True, gc=False):
    """`bounds` in ascending order, the last one infinite; `counts` are of observations up to each bound."""

    bounds: tuple[float, ...] = ()
    counts: tuple[float, ...] = ()
    sum: float = 0.0

    @property
    def count(self) -> float:
        return self.counts[-1] if self.counts else 0.0

    @property
    def mean(self) -> float | None:
        return self.sum / self.count if self.count > 0 else None

    def quantile(self, share: float) -> float | None:
        """By linear interpolation inside a bucket, as Prometheus does; None where nothing was observed."""
        if self.count <= 0:
            return None
        wanted = share * self.count
        place = min(bisect_left(self.counts, wanted), len(self.counts) - 1)
        upper = self.bounds[place]
        lower = self.bounds[place - 1] if place else 0.0
        if upper == float("inf"):
            return lower
        below = self.counts[place - 1] if place else 0.0
        inside = self.counts[place] - below
        return upper if inside <= 0 else lower + (upper - lower) * (wanted - below) / inside

    def since(self, before: "Histogram | None") -> "Histogram":
        """What was observed after `before`; all of it where the engine has started anew since."""
        if before is None or before.bounds != self.bounds or before.count > self.count:
            return self
        counts = tuple(max(0.0, now - then) for now, then in zip(self.counts, before.counts, strict=True))
        return Histogram(self.bounds, counts, max(0.0, self.sum - before.sum))


class Rank(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One of several data-parallel engines behind one page of metrics, each with a queue of its own."""

    name: str
    running: float | None = None
    waiting: float | None = None
    kv_cache_usage: float | None = None
    progress: float | None = None  # prompt and generated tokens together


NOTHING: Mapping[str, float] = MappingProxyType({})


class EngineReading(msgspec.Struct, frozen=True, kw_only=True):
    """One engine at one time. Requests and tokens of all its models and ranks together.

    kv_cache_usage: 0 to 1, of the fullest rank. finished: requests by how they ended (stop, length, abort, error …),
    since the start. errors: those of them that failed. trouble: why nothing was told, or what is odd about it.
    """

    taken_at: datetime | None = None
    way: Way | None = None
    engine: str = ""  # vllm, sglang, tgi, triton
    version: str = ""
    models: tuple[str, ...] = ()
    running: float | None = None
    waiting: float | None = None
    generated_tokens: float | None = None
    prompt_tokens: float | None = None
    cached_prompt_tokens: float | None = None
    iterations: float | None = None
    kv_cache_usage: float | None = None
    preemptions: float | None = None
    prefix_queries: float | None = None
    prefix_hits: float | None = None
    finished: Mapping[str, float] = NOTHING
    errors: float | None = None
    rejected: float | None = None
    corrupted: float | None = None
    drafts: float | None = None
    accepted_drafts: float | None = None
    ttft: Histogram | None = None  # seconds
    itl: Histogram | None = None
    queue: Histogram | None = None
    sleeping: bool | None = None
    blocks: int | None = None
    block_size: int | None = None
    kv_cache_tokens: int | None = None
    gpu_memory_utilization: float | None = None
    ranks: tuple[Rank, ...] = ()  # only where there are several
    trouble: str = ""

    @property
    def told(self) -> bool:
        """Whether it is an engine's at all."""
        return bool(self.engine)

    @property
    def requests(self) -> float | None:
        """In the batch and in the queue; None where neither is told."""
        if self.running is None and self.waiting is None:
            return None
        return (self.running or 0.0) + (self.waiting or 0.0)

    @property
    def progress(self) -> float | None:
        """Tokens in and out: what an engine that works makes more of, embedding models included."""
        if self.generated_tokens is None and self.prompt_tokens is None:
            return None
        return (self.generated_tokens or 0.0) + (self.prompt_tokens or 0.0)

    @property
    def ended(self) -> float | None:
        """Requests that ended, in any way."""
        return sum(self.finished.values()) if self.finished else None
