"""An engine's KV cache is full and it takes requests out of the batch again: their work is done twice."""

from collections.abc import Iterator

from bot.checks.check import EngineCheck, Reads
from bot.checks.engine.relief import FULL, replica, settings
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.domain.words import count, duration

SECONDS = 240.0
A_MINUTE = 1.0  # preemptions; a single one is no pressure
STEPS = 2  # between so many pairs of readings some happened


def _judge(scene: EngineScene) -> Iterator[Finding]:
    step = scene.lately(SECONDS)
    if step is None or not step.seconds:
        return
    grown, usage = step.grown("preemptions"), step.after.kv_cache_usage
    if not grown or usage is None or usage < FULL or grown / step.seconds * 60 < A_MINUTE:
        return
    if sum(1 for one in scene.window.steps() if one.grown("preemptions")) < STEPS:
        return
    took = duration(step.seconds)
    yield scene.fires(
        Severity.WARNING,
        f"has a full KV cache ({usage:.0%}) and put {count(round(grown), 'request')} back in {took}: "
        "their tokens are computed twice",
        tuple(_evidence(scene)),
        (settings(scene), replica(scene)),
    )


def _evidence(scene: EngineScene) -> Iterator[str]:
    last = scene.last
    if last is not None and last.requests is not None:
        yield f"{last.running or 0:,.0f} run, {last.waiting or 0:,.0f} wait"
    if last is not None and last.kv_cache_tokens:
        yield f"its cache holds {last.kv_cache_tokens:,} tokens"


CHECK = EngineCheck(
    id="engine.kv_cache",
    title="an engine's KV cache is full and requests are put back",
    severity=Severity.WARNING,
    source="vllm-project/vllm:vllm/v1/metrics/loggers.py (kv_cache_usage_perc, num_preemptions)",
    docs=__doc__ or "",
    needs=frozenset({"pods"}),
    reads=frozenset({Reads.ENGINE}),
    judge=_judge,
)
