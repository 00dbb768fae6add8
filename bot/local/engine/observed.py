"""What an engine has observed: histograms with vLLM's buckets, and its counters (vllm/v1/metrics/loggers.py, 0.33)."""

from bisect import bisect_left
from dataclasses import dataclass, field

_LATENCY = (
    *(0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0),
    *(1920.0, 7680.0),
)
_FIRST_TOKEN = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0),
    *(160.0, 640.0, 2560.0),
)
_NEXT_TOKEN = (
    *(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0),
)
_TOKENS = tuple(float(step * 10**power) for power in range(6) for step in (1, 2, 5))
BUCKETS = {
    "time_to_first_token_seconds": _FIRST_TOKEN,
    "inter_token_latency_seconds": _NEXT_TOKEN,
    "request_time_per_output_token_seconds": _NEXT_TOKEN,
    "e2e_request_latency_seconds": _LATENCY,
    "request_queue_time_seconds": _LATENCY,
    "request_prefill_time_seconds": _LATENCY,
    "request_decode_time_seconds": _LATENCY,
    "request_inference_time_seconds": _LATENCY,
    "request_prompt_tokens": _TOKENS,
    "request_generation_tokens": _TOKENS,
    "iteration_tokens_total": (1.0, *(float(2**power) for power in range(3, 15))),
    "request_num_preemptions": (0.0, 1.0, 2.0, 5.0, 10.0),
}
REASONS = ("stop", "length", "abort", "error", "repetition")


class Histogram:
    """Counts of observations: they only grow."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0.0] * (len(bounds) + 1)  # of each bucket by itself
        self.sum = 0.0

    def observe(self, value: float, times: float = 1.0) -> None:
        self.counts[bisect_left(self.bounds, value)] += times
        self.sum += value * times


@dataclass(slots=True)
class Totals:
    """Since the start. finished: requests by how they ended."""

    prompt_tokens: float = 0.0
    cached_tokens: float = 0.0
    generated_tokens: float = 0.0
    preemptions: float = 0.0
    drafts: float = 0.0
    accepted_drafts: float = 0.0
    finished: dict[str, float] = field(default_factory=lambda: dict.fromkeys(REASONS, 0.0))
    histograms: dict[str, Histogram] = field(
        default_factory=lambda: {name: Histogram(bounds) for name, bounds in BUCKETS.items()}
    )

    def observe(self, name: str, value: float, times: float = 1.0) -> None:
        """Raises KeyError for a histogram that there is not."""
        self.histograms[name].observe(value, times)

    def ended(self, reason: str, prompt: int, generated: int, seconds: float, times: float = 1.0) -> None:
        """Requests that came to their end, each in so many seconds without those in the queue."""
        self.finished[reason] += times
        self.observe("e2e_request_latency_seconds", seconds, times)
        self.observe("request_inference_time_seconds", seconds, times)
        self.observe("request_prompt_tokens", prompt, times)
        self.observe("request_generation_tokens", generated, times)
        self.observe("request_num_preemptions", 0, times)
        if generated > 1:
            self.observe("request_time_per_output_token_seconds", seconds / generated, times)
