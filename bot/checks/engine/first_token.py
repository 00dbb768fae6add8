"""The first token takes several times as long as this engine used to need: a queue, long prompts, a cold cache."""

from collections.abc import Iterator

from bot.checks.check import EngineCheck, Reads
from bot.checks.engine.relief import replica, settings
from bot.checks.engine.slower import slower
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.domain.words import duration

LATELY, BEFORE = 20, 200
FLOOR_SECONDS = 2.0


def _judge(scene: EngineScene) -> Iterator[Finding]:
    found = slower(scene, "ttft", lately=LATELY, before=BEFORE, floor_seconds=FLOOR_SECONDS)
    if found is None:
        return
    yield scene.fires(
        Severity.WARNING,
        f"needs {duration(found.now_seconds)} for the first token (95 of 100 requests, {found.observed:,} in "
        f"{duration(found.over_seconds)}); since its start that was {duration(found.past_seconds)}",
        tuple(_evidence(scene)),
        (settings(scene), replica(scene)),
    )


def _evidence(scene: EngineScene) -> Iterator[str]:
    last, step = scene.last, scene.lately(180.0)
    if last is not None and last.waiting is not None:
        yield f"{last.waiting:,.0f} requests wait"
    prompt = step.per_second("prompt_tokens") if step is not None else None
    if prompt is not None:
        yield f"{prompt:,.0f} tokens of prompts a second"
    queries = step.grown("prefix_queries") if step is not None else None
    hits = step.grown("prefix_hits") if step is not None else None
    if queries and hits is not None:
        yield f"{hits / queries:.0%} of prompts' tokens come from the prefix cache"


CHECK = EngineCheck(
    id="engine.first_token",
    title="an engine needs much longer for the first token than it used to",
    severity=Severity.WARNING,
    source="vllm-project/vllm:vllm/v1/metrics/loggers.py (time_to_first_token_seconds)",
    docs=__doc__ or "",
    needs=frozenset({"pods"}),
    reads=frozenset({Reads.ENGINE}),
    judge=_judge,
)
