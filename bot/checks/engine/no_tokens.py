"""An engine has requests and makes no token for a minute: it hangs, however green its health page is.

A collective that waits for a rank, a dead worker, a driver that does not come back: the HTTP server goes on answering
/health with 200. An engine with nothing to do is well, one that sleeps or loads too; after a start the first token may
take as long as kernels compile, by the number of GPUs.
"""

from collections.abc import Iterator
from datetime import datetime

from bot.checks.check import EngineCheck, Reads
from bot.checks.engine.relief import restart
from bot.checks.engine.silence import Silence, silence
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.domain.answer import Remedy
from bot.domain.engine import EngineReading
from bot.domain.words import duration
from bot.gpu.stack.commands import logs

SILENT_SECONDS = 60.0
LONGEST_PREFILL_SECONDS = 300.0
COMPILE_SECONDS, COMPILE_SECONDS_A_GPU, COMPILE_SECONDS_MOST = 240.0, 60.0, 900.0  # before the first token of all
STEPS_MISSING = 2.0  # times the slowest first token so far, where an engine does not count its steps


def _judge(scene: EngineScene) -> Iterator[Finding]:
    last = scene.last
    if last is None:
        return
    found = silence(scene.window)
    if found is not None and found.seconds >= allowed(scene, last):
        yield _hangs(scene, last, found)
    elif last.requests and len(scene.window.readings) < 2:
        yield scene.unknown("whether it makes tokens", "it was read once, which shows requests and no rate")


def allowed(scene: EngineScene, last: EngineReading) -> float:
    """Seconds without a token that are no hang."""
    if last.progress == 0:
        return min(COMPILE_SECONDS + COMPILE_SECONDS_A_GPU * scene.gpus, COMPILE_SECONDS_MOST)
    if last.iterations is not None or last.ttft is None:
        return SILENT_SECONDS
    slowest = last.ttft.quantile(0.99) or 0.0
    return max(SILENT_SECONDS, min(STEPS_MISSING * slowest, LONGEST_PREFILL_SECONDS))


def _hangs(scene: EngineScene, last: EngineReading, found: Silence) -> Finding:
    rank = f" (rank {found.rank})" if found.rank else ""
    has = f"{last.running or 0:,.0f} requests running and {last.waiting or 0:,.0f} waiting"
    return scene.fires(
        Severity.CRITICAL,
        f"hangs{rank}: no token for {duration(found.seconds)} with {has}",
        tuple(_evidence(scene, last, found)),
        (
            Remedy("See what it said last, before the restart takes it away", _look(scene), cost="none"),
            restart(scene),
        ),
        useless=("Its health page does not help: it answers as long as the HTTP server runs",),
        since=found.since,
    )


def _evidence(scene: EngineScene, last: EngineReading, found: Silence) -> Iterator[str]:
    yield f"{found.readings} readings since {_clock(found.since)}, {last.progress or 0:,.0f} tokens in each"
    if last.iterations is not None and not found.rank:
        yield f"{last.iterations:,.0f} steps in each: it does not compute a long prompt either"
    if last.kv_cache_usage is not None:
        yield f"KV cache {last.kv_cache_usage:.0%} used"
    yield "its pod is Ready" if scene.ready else "its pod is not Ready any more"


def _look(scene: EngineScene) -> str:
    main = next((one.name for one in scene.pod.containers if not one.init and not one.sidecar), "")
    return logs(scene.pod, main) if main else ""


def _clock(when: datetime) -> str:
    return f"{when:%H:%M:%S} UTC"


CHECK = EngineCheck(
    id="engine.no_tokens",
    title="an engine has requests and makes no token",
    severity=Severity.CRITICAL,
    source="vllm-project/vllm:vllm/entrypoints/serve/instrumentator/health.py, vllm/v1/metrics/loggers.py",
    docs=__doc__ or "",
    needs=frozenset({"pods"}),
    reads=frozenset({Reads.ENGINE}),
    judge=_judge,
)
