"""A measurement of one engine under a load of our own: what is sent, what came of it, what is kept to compare with."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from bot.domain.intent import Intent

CONCURRENCIES = (1, 4, 8, 16)
SECONDS_MOST, REQUESTS_MOST = 60, 200


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """So many requests at once. seconds: how long it was measured; tokens: generated in it, by the engine's own count.

    first_token, whole: seconds (median, 95th percentile); None where they could not be measured. between: seconds from
    one token to the next, median. failed: those that were refused or broke off; cut: unfinished, not counted.
    """

    concurrency: int
    requests: int
    failed: int = 0
    cut: int = 0
    seconds: float
    tokens: int = 0
    first_token: tuple[float, float] | None = None
    between: float | None = None
    whole: tuple[float, float] | None = None
    trouble: str = ""  # of the first that failed

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds if self.seconds > 0 else 0.0


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement. workload: as people type it (`deployment/llm/glm`); by: Slack's id of who asked.

    busy: requests that were there at its beginning; None: not known. way: `direct` or `proxy`.
    """

    cluster: str
    workload: str
    model: str
    pod: str
    at: datetime
    by: str = ""
    engine: str = ""
    version: str = ""
    product: str = ""
    gpus: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    busy: float | None = None
    way: str = ""
    points: tuple[Point, ...] = ()

    @property
    def best(self) -> Point | None:
        """The one with the most tokens per second."""
        return max(self.points, key=lambda one: one.tokens_per_second, default=None)


@dataclass(frozen=True, slots=True)
class Load:
    """What is sent to one engine, and no more: `seconds` for all concurrencies together, `requests` likewise.

    address: the pod's, empty where it is not known; scheme and port: of the engine's API.
    """

    namespace: str
    pod: str
    model: str
    port: int
    address: str = ""
    scheme: str = "http"
    concurrencies: tuple[int, ...] = CONCURRENCIES
    seconds: int = SECONDS_MOST
    requests: int = REQUESTS_MOST
    prompt_tokens: int = 128
    answer_tokens: int = 64


@dataclass(frozen=True, slots=True)
class RunBench(Intent):
    """Put that load on an engine and keep what came of it. about: the measurement without its points."""

    load: Load
    about: Bench
