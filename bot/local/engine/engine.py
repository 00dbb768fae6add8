"""One engine: when it serves, what it works on, and what is wrong with it.

Besides the requests that come it can carry a steady load, as an engine does that users work with: so many requests at
once, each getting so many tokens a second. All counters follow from the clock, so watching costs nothing.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from bot.local.engine.arguments import EngineArgs

TOKENS_PER_SECOND = 45.0  # of one request
FIRST_TOKEN_SECONDS = 0.18


@dataclass(slots=True)
class Faults:
    """What can go wrong while it serves.

    hung: requests run and no token comes, while /health stays 200. failing: every completion is a 500. dead: /health is
    503. slow: so many times longer between tokens. waiting: requests in line. kv_usage: of the cache, where it is set.
    """

    hung: bool = False
    failing: bool = False
    dead: bool = False
    slow: float = 1.0
    waiting: int = 0
    kv_usage: float | None = None
    preemptions_per_second: float = 0.0


@dataclass(slots=True)
class Counters:
    """Since the start; what a steady load adds comes on top."""

    prompt_tokens: float = 0.0
    generated_tokens: float = 0.0
    finished: float = 0.0
    failed: float = 0.0
    preemptions: float = 0.0


@dataclass
class Engine:
    """`now` is the cluster's clock. load: requests at once of a steady load. It serves from `ready_at` on."""

    args: EngineArgs
    started_at: datetime
    ready_at: datetime
    now: Callable[[], datetime]
    load: float = 0.0
    faults: Faults = field(default_factory=Faults)
    running: int = 0
    own: Counters = field(default_factory=Counters)
    _steady: Counters = field(default_factory=Counters)
    _counted_at: datetime | None = None
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def serves(self) -> bool:
        return self.now() >= self.ready_at

    def next_id(self, kind: str) -> str:
        return f"{kind}-{next(self._ids):08x}"

    def breaks(self, **faults: object) -> None:
        """Set faults by name, from now on. Raises AttributeError for one that there is not."""
        self.count()
        for name, value in faults.items():
            setattr(self.faults, name, value)

    def count(self) -> Counters:
        """All counters as they are now."""
        since = self._counted_at or self.ready_at
        seconds = max(0.0, (self.now() - since).total_seconds())
        if seconds:
            self._counted_at = self.now()
            self._work(seconds)
        own, steady = self.own, self._steady
        return Counters(*(getattr(own, name) + getattr(steady, name) for name in Counters.__slots__))

    def _work(self, seconds: float) -> None:
        steady = self._steady
        steady.preemptions += self.faults.preemptions_per_second * seconds
        if self.faults.hung:
            return
        tokens = self.load * TOKENS_PER_SECOND / self.faults.slow * seconds
        if self.faults.failing:
            steady.failed += tokens / 200
            return
        steady.generated_tokens += tokens
        steady.prompt_tokens += tokens * 4
        steady.finished += tokens / 200

    @property
    def running_now(self) -> int:
        return self.running + round(self.load)

    @property
    def kv_usage(self) -> float:
        told = self.faults.kv_usage
        return told if told is not None else min(1.0, self.running_now * 0.035)

    @property
    def first_token_seconds(self) -> float:
        return FIRST_TOKEN_SECONDS * self.faults.slow

    @property
    def token_seconds(self) -> float:
        return self.faults.slow / TOKENS_PER_SECOND
