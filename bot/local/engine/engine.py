"""One engine: when it serves, what it works on, and what is wrong with it.

Besides the requests that come it can carry a steady load, as an engine does that users work with: so many requests at
once, each getting so many tokens a second. All that it counts follows from the clock, so watching costs nothing.
"""

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import datetime

from bot.local.engine.arguments import EngineArgs
from bot.local.engine.observed import Totals

TOKENS_PER_SECOND = 45.0  # of one request
FIRST_TOKEN_SECONDS = 0.18
LOAD_PROMPT_TOKENS, LOAD_TOKENS = 800, 200  # of one request of the steady load
_CACHED_SHARE, _ACCEPTED_SHARE = 0.4, 0.7
_KV_OF_A_REQUEST = 0.035
_LINES = 200


@dataclass(slots=True)
class Faults:
    """What can go wrong while it serves.

    hung: requests run and no token comes, while /health stays 200. failing: every completion is a 500. dead: /health is
    503. slow: so many times longer between tokens. waiting: requests in line, to which so many come each second.
    kv_usage: of the cache, where it is set. drafts_refused: no guessed token is ever right.
    """

    hung: bool = False
    failing: bool = False
    dead: bool = False
    slow: float = 1.0
    waiting: int = 0
    waiting_per_second: float = 0.0
    kv_usage: float | None = None
    preemptions_per_second: float = 0.0
    drafts_refused: bool = False


@dataclass
class Engine:
    """`now` is the cluster's clock. load: requests at once of a steady load. It serves from `ready_at` on."""

    args: EngineArgs
    started_at: datetime
    ready_at: datetime
    now: Callable[[], datetime]
    load: float = 0.0
    faults: Faults = field(default_factory=Faults)
    totals: Totals = field(default_factory=Totals)
    running: int = 0
    queued: int = 0
    draining: bool = False
    said: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES))  # after its start
    _counted_at: datetime | None = None
    _grown: float = 0.0
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def serves(self) -> bool:
        return not self.args.error and not self.draining and self.now() >= self.ready_at

    @property
    def has_room(self) -> bool:
        """For one more request in the batch."""
        return self.running < self.args.most_running

    def next_id(self, kind: str) -> str:
        return f"{kind}-{next(self._ids):08x}"

    def breaks(self, **faults: object) -> None:
        """Set faults by name, from now on. Raises AttributeError for one that there is not."""
        self.count()
        for name, value in faults.items():
            if name not in FAULTS:
                raise AttributeError(f"an engine has no fault {name!r}: {', '.join(FAULTS)}")
            setattr(self.faults, name, value)

    def heals(self) -> None:
        """Nothing is wrong with it any more, from now on."""
        self.count()
        self.faults, self._grown = Faults(), 0.0

    def count(self) -> Totals:
        """All that it counts, as it is now."""
        since = self._counted_at or self.ready_at
        seconds = max(0.0, (self.now() - since).total_seconds())
        if seconds:
            self._counted_at = self.now()
            self._work(seconds)
        return self.totals

    def _work(self, seconds: float) -> None:
        """What the steady load made of so many seconds."""
        faults, totals = self.faults, self.totals
        totals.preemptions += faults.preemptions_per_second * seconds
        self._grown += faults.waiting_per_second * seconds
        if faults.hung or not self.load:
            return
        tokens = self.load / self.token_seconds * seconds
        requests = tokens / LOAD_TOKENS
        if faults.failing:
            totals.finished["error"] += requests
            return
        self.made(tokens)
        totals.prompt_tokens += requests * LOAD_PROMPT_TOKENS
        totals.cached_tokens += requests * LOAD_PROMPT_TOKENS * _CACHED_SHARE
        totals.observe("time_to_first_token_seconds", self.first_token_seconds, requests)
        totals.observe("request_prefill_time_seconds", self.first_token_seconds, requests)
        totals.observe("request_queue_time_seconds", self.queue_seconds, requests)
        totals.observe("request_decode_time_seconds", LOAD_TOKENS * self.token_seconds, requests)
        whole = self.first_token_seconds + LOAD_TOKENS * self.token_seconds
        totals.ended("stop", LOAD_PROMPT_TOKENS, LOAD_TOKENS, whole, requests)

    def made(self, tokens: float) -> None:
        """So many tokens, each in the time that one takes now."""
        totals = self.totals
        totals.generated_tokens += tokens
        totals.observe("inter_token_latency_seconds", self.token_seconds, tokens)
        totals.observe("iteration_tokens_total", max(1, self.running_now), tokens / max(1, self.running_now))
        if self.args.speculative_tokens:
            drafts = tokens / (1 + self.args.speculative_tokens * self.accepted_share)
            totals.drafts += drafts
            totals.accepted_drafts += drafts * self.args.speculative_tokens * self.accepted_share

    @property
    def accepted_share(self) -> float:
        """Of guessed tokens."""
        return 0.01 if self.faults.drafts_refused else _ACCEPTED_SHARE

    @property
    def generation_rate(self) -> float:
        """Tokens a second of all that runs."""
        idle = self.faults.hung or self.faults.failing
        return 0.0 if idle else (self.running + self.load) / self.token_seconds

    @property
    def running_now(self) -> int:
        return self.running + round(self.load)

    @property
    def waiting_now(self) -> int:
        return self.queued + self.faults.waiting + int(self._grown)

    @property
    def kv_usage(self) -> float:
        told = self.faults.kv_usage
        return told if told is not None else min(1.0, self.running_now * _KV_OF_A_REQUEST)

    @property
    def first_token_seconds(self) -> float:
        return FIRST_TOKEN_SECONDS * self.faults.slow

    @property
    def queue_seconds(self) -> float:
        """How long a request waits now, by the number of those before it."""
        return self.waiting_now * 0.5

    @property
    def token_seconds(self) -> float:
        return self.faults.slow / TOKENS_PER_SECOND


FAULTS = tuple(one.name for one in fields(Faults))
