"""Inference engines."""

from typing import Any

from bot.checks.finding import Severity
from tests.checks.building import Told
from tests.checks.engines import Changed, a_scene, growing, histogram, reading, stuck, unreachable


def failing(by: float) -> Changed:
    def changed(step: int) -> dict[str, Any]:
        return {"finished": {"stop": 10.0 * step, "error": by * step}, "errors": by * step}

    return changed


def queued(by: float) -> Changed:
    return lambda step: {"waiting": by * step}


def slow_first(extra: int) -> Changed:
    """From the 9th step on so many requests a step needed up to 20 s."""
    return lambda step: {"ttft": histogram(0, 0, 9000 + 10 * step, 900, 0, extra * max(0, step - 8))}


def slow_next(extra: int) -> Changed:
    return lambda step: {"itl": histogram(9e5 + 100 * step, 0, extra * max(0, step - 8))}


def put_back(usage: float) -> Changed:
    return lambda step: {"preemptions": 3.0 * step, "kv_cache_usage": usage}


TOLD = {
    "no_tokens": Told(
        "llm/glm-0 hangs: no token for 1 min with 4 requests running and 9 waiting",
        Severity.CRITICAL,
        lambda: a_scene(stuck(16, waiting=9.0)),
        lambda: a_scene(stuck(17)),
        unreachable,
    ),
    "queue": Told(
        "llm/glm-0 has 40 requests in its queue, up from 24 in 2 min; at its pace the last of them waits 1 min",
        Severity.WARNING,
        lambda: a_scene(queued(2.0)),
        lambda: a_scene(lambda step: {"waiting": 7.0}),
        unreachable,
    ),
    "kv_cache": Told(
        r"llm/glm-0 has a full KV cache \(97%\) and put 48 requests back in 4 min",
        Severity.WARNING,
        lambda: a_scene(put_back(0.97)),
        lambda: a_scene(put_back(0.85)),
        unreachable,
    ),
    "first_token": Told(
        r"llm/glm-0 needs \d+ s for the first token \(95 of 100 requests, \d+ in 3 min\); since its start that was 0\.\d s",
        Severity.WARNING,
        lambda: a_scene(slow_first(20)),
        lambda: a_scene(lambda step: {"ttft": histogram(0, 0, 9000 + 10 * step, 900 + 9 * max(0, step - 8))}),
        unreachable,
    ),
    "next_token": Told(
        r"llm/glm-0 needs \d+ ms from token to token \(95 of 100, [\d,]+ tokens\); since its start that was \d+ ms",
        Severity.WARNING,
        lambda: a_scene(slow_next(900)),
        lambda: a_scene(slow_next(3)),
        unreachable,
    ),
    "errors": Told(
        r"llm/glm-0 failed 80 requests of 160 in 2 min \(50%\)",
        Severity.CRITICAL,
        lambda: a_scene(failing(10.0)),
        lambda: a_scene(failing(0.1)),
        unreachable,
    ),
    "corrupted": Told(
        "llm/glm-0 answered 20 requests with logits that are no numbers in 5 min",
        Severity.WARNING,
        lambda: a_scene(growing(corrupted=1.0)),
        lambda: a_scene(lambda step: {"corrupted": 7.0}),
        unreachable,
    ),
    "drafts": Told(
        "llm/glm-0 accepts hardly a drafted token: 1.05 tokens a step",
        Severity.INFO,
        lambda: a_scene(growing(drafts=600.0, accepted_drafts=30.0)),
        lambda: a_scene(
            lambda step: {"drafts": reading(step).drafts, "accepted_drafts": 0.4 * (reading(step).drafts or 0)}
        ),
        unreachable,
    ),
}
