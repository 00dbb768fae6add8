"""Requests come faster than an engine ends them: its queue grows, and the last in it waits ever longer."""

from collections.abc import Iterator

from bot.checks.check import EngineCheck, Reads
from bot.checks.engine.relief import FULL, replica, settings
from bot.checks.engine.silence import silence
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.domain.engine_window import Delta
from bot.domain.words import duration

SECONDS = 120.0
WAITING = 8.0  # fewer are a burst
GROWN_BY, GROWN_TO = 5.0, 1.5
PATIENCE_SECONDS = 60.0  # that the last in a queue may wait


def _judge(scene: EngineScene) -> Iterator[Finding]:
    step = scene.lately(SECONDS)
    if step is None or silence(scene.window) is not None:
        return
    before, now = step.before.waiting, step.after.waiting
    if before is None or now is None or now < WAITING or not _always(scene, step):
        return
    grows = now >= before + GROWN_BY and now >= before * GROWN_TO
    wait = _wait_seconds(step, now)
    if grows or (wait is not None and wait >= PATIENCE_SECONDS):
        yield _long(scene, step, before, now, wait)


def _long(scene: EngineScene, step: Delta, before: float, now: float, wait: float | None) -> Finding:
    ago = duration(step.seconds or 0.0)
    course = f"up from {before:,.0f} in {ago}" if now > before else f"for {ago} and longer"
    last = f"; at its pace the last of them waits {duration(wait)}" if wait is not None else ""
    return scene.fires(
        Severity.WARNING,
        f"has {now:,.0f} requests in its queue, {course}{last}",
        tuple(_evidence(step)),
        (settings(scene), replica(scene)),
    )


def _evidence(step: Delta) -> Iterator[str]:
    last = step.after
    if last.running is not None:
        yield f"{last.running:,.0f} run"
    if last.kv_cache_usage is not None:
        limits = ": that is what limits it" if last.kv_cache_usage >= FULL else ""
        yield f"KV cache {last.kv_cache_usage:.0%} used{limits}"
    rate = step.per_second("generated_tokens")
    if rate is not None:
        yield f"{rate:,.0f} tokens a second"


def _always(scene: EngineScene, step: Delta) -> bool:
    """Whether there was a queue in every reading: one that empties in between is a burst."""
    start = step.before.taken_at
    later = [one for one in scene.window.readings if one.taken_at and start and one.taken_at > start]
    return all(one.waiting for one in later)


def _wait_seconds(step: Delta, waiting: float) -> float | None:
    """By how many requests end in a second; None where none did or it is not told."""
    ended = step.per_second("ended")
    return waiting / ended if ended else None


CHECK = EngineCheck(
    id="engine.queue",
    title="requests come faster than an engine ends them",
    severity=Severity.WARNING,
    source="vllm-project/vllm:vllm/v1/metrics/loggers.py (num_requests_waiting)",
    docs=__doc__ or "",
    needs=frozenset({"pods"}),
    reads=frozenset({Reads.ENGINE}),
    judge=_judge,
)
