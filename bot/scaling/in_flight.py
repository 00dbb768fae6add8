"""Requests that an engine is working on, from its own metrics: what is cut off when its pod goes.

vLLM: vllm:num_requests_running, vllm:num_requests_waiting (vllm/v1/metrics/loggers.py); SGLang:
sglang:num_running_reqs, sglang:num_queue_reqs (sglang/srt/metrics/collector.py); TGI:
tgi_batch_current_size, tgi_queue_size.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.evidence import Evidence, MetricsRef
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod

RUNNING = frozenset({"vllm:num_requests_running", "sglang:num_running_reqs", "tgi_batch_current_size"})
QUEUED = frozenset({"vllm:num_requests_waiting", "sglang:num_queue_reqs", "tgi_queue_size"})
LONGEST = 2_000_000
ASKED = 16
_SAMPLE = Pattern(r"^([a-zA-Z_:][\w:]{0,100})(?:\{[^\n]{0,2000}\})?[ \t]+([0-9.eE+-]{1,30})(?:[ \t]+\d+)?[ \t]*$", 8)


@dataclass(frozen=True, slots=True)
class InFlight:
    """Of pods that go: how many requests run and wait there. `unseen`: pods whose metrics were not there."""

    running: int
    queued: int
    by_pod: tuple[tuple[str, int], ...]
    unseen: tuple[str, ...]

    @property
    def known(self) -> bool:
        return bool(self.by_pod)


def wanted(pods: Iterable[Pod]) -> tuple[MetricsRef, ...]:
    return tuple(MetricsRef(pod.namespace, pod.name) for pod in list(pods)[:ASKED])


def in_flight(pods: Iterable[Pod], evidence: Evidence) -> InFlight:
    running, queued = 0, 0
    by_pod: list[tuple[str, int]] = []
    unseen: list[str] = []
    for pod in pods:
        found = _counts(evidence.metrics(pod.namespace, pod.name))
        if found is None:
            unseen.append(pod.name)
            continue
        running, queued = running + found[0], queued + found[1]
        by_pod.append((pod.name, sum(found)))
    return InFlight(running, queued, tuple(by_pod), tuple(unseen))


def _counts(text: str) -> tuple[int, int] | None:
    """None where the text is not of an engine that is known."""
    running: float | None = None
    queued = 0.0
    for found in _SAMPLE.finditer(text[:LONGEST]):
        if found[1] in RUNNING:
            running = (running or 0.0) + _value(found[2])
        elif found[1] in QUEUED:
            queued += _value(found[2])
    return None if running is None else (round(running), round(queued))


def _value(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and 0 <= value < 1e9 else 0.0
