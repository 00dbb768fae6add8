"""Engines for checks: readings every 15 s of one that is busy and well, of which a test changes what matters to it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from bot.checks.engine_scene import EngineScene
from bot.domain.engine import EngineReading, Histogram, Way
from bot.domain.engine_told import EngineTold
from bot.domain.engine_window import EngineWindow
from bot.domain.node import Condition
from bot.domain.pod import Container, Pod
from tests.factories import NOW, a_node, a_pod, a_view

EVERY_SECONDS, READINGS = 15, 21  # five minutes
BOUNDS = (0.05, 0.1, 0.5, 1.0, 5.0, 20.0, float("inf"))
Changed = Callable[[int], dict[str, Any]]
UNREADY = Condition("Ready", "False")


def an_engine(name: str = "glm-0", **changed: Any) -> Pod:
    container = Container("vllm", "vllm/vllm-openai:v0.33.0")
    return a_pod(name, **({"gpus": 8, "uid": f"uid-{name}", "containers": (container,)} | changed))


def histogram(*counts: float) -> Histogram:
    """Observations in each bucket up to 50 ms, 100 ms, 0.5 s, 1 s, 5 s, 20 s, any."""
    until = [sum(counts[: place + 1]) for place in range(len(BOUNDS))]
    return Histogram(BOUNDS, tuple(map(float, until)), sum(counts) * 0.2)


def reading(step: int, **changed: Any) -> EngineReading:
    """The step-th of a busy engine: 900 tokens, 60 steps and 10 ended requests later than the one before."""
    busy: dict[str, Any] = {
        "taken_at": NOW - timedelta(seconds=EVERY_SECONDS * (READINGS - 1 - step)),
        "way": Way.DIRECT,
        "engine": "vllm",
        "models": ("glm",),
        "running": 4.0,
        "waiting": 0.0,
        "generated_tokens": 1e6 + 900 * step,
        "prompt_tokens": 4e6 + 3600 * step,
        "iterations": 2e5 + 60 * step,
        "kv_cache_usage": 0.4,
        "preemptions": 0.0,
        "corrupted": 0.0,
        "drafts": 1e5 + 600 * step,
        "accepted_drafts": 2e5 + 1200 * step,
        "finished": {"stop": 1e4 + 10.0 * step, "abort": 20.0, "error": 3.0},
        "errors": 3.0,
        "ttft": histogram(0, 0, 9000 + 10 * step, 900 + step),
        "itl": histogram(9e5 + 900 * step, 1000),
    }
    return EngineReading(**(busy | changed))


def window(changed: Changed | None = None, *, readings: int = READINGS) -> EngineWindow:
    """`changed`: what differs in each step; the newest is of NOW."""
    steps = range(READINGS - readings, READINGS)
    return EngineWindow(tuple(reading(step, **(changed(step) if changed else {})) for step in steps))


def a_scene(
    changed: Changed | None = None,
    *,
    readings: int = READINGS,
    pod: Pod | None = None,
    trouble: str = "",
    asked: bool = True,
    unread: tuple[str, ...] = (),
) -> EngineScene:
    engine = pod or an_engine()
    view = a_view(a_node(), *(() if unread else (engine,)), unread=unread)
    told = EngineTold(window(changed, readings=readings), trouble) if asked else None
    return EngineScene(view, engine, told, NOW)


def stuck(since: int, **more: Any) -> Changed:
    """As it is in that step, and from then on the same: with requests, and no token."""

    def changed(step: int) -> dict[str, Any]:
        if step < since:
            return {}
        held = reading(since)
        return {
            "generated_tokens": held.generated_tokens,
            "prompt_tokens": held.prompt_tokens,
            "iterations": held.iterations,
        } | more

    return changed


def growing(**per_step: float) -> Changed:
    """Totals (or gauges) that are so much more in each step."""
    return lambda step: {name: by * step for name, by in per_step.items()}


def unreachable() -> EngineScene:
    """A Ready engine that did not answer: nothing is known of it."""
    return a_scene(readings=0, trouble="nothing listens at 10.0.0.7:8000")
