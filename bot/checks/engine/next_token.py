"""From one token to the next takes several times as long as this engine used to need.

Fuller batches cost some; more than that comes from a GPU that slows itself down, a link that fell back to a slower
path, or kernels that compile while requests run.
"""

from collections.abc import Iterator

from bot.checks.check import EngineCheck, Reads
from bot.checks.engine.slower import slower
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.domain.answer import Remedy
from bot.gpu.stack.commands import logs

LATELY, BEFORE = 500, 5_000
FLOOR_SECONDS = 0.1


def _judge(scene: EngineScene) -> Iterator[Finding]:
    found = slower(scene, "itl", lately=LATELY, before=BEFORE, floor_seconds=FLOOR_SECONDS)
    if found is None:
        return
    last = scene.last
    yield scene.fires(
        Severity.WARNING,
        f"needs {found.now_seconds * 1000:,.0f} ms from token to token (95 of 100, {found.observed:,} tokens); "
        f"since its start that was {found.past_seconds * 1000:,.0f} ms",
        (f"{last.running or 0:,.0f} requests run",) if last is not None else (),
        tuple(_helps(scene)),
    )


def _helps(scene: EngineScene) -> Iterator[Remedy]:
    if scene.pod.node:
        yield Remedy(f"Look at its GPUs first: `/gpu node {scene.pod.node}` shows heat, clocks and links", cost="none")
    main = next((one.name for one in scene.pod.containers if not one.init and not one.sidecar), "")
    if main:
        yield Remedy("See whether kernels compile, in its log", logs(scene.pod, main), cost="none")


CHECK = EngineCheck(
    id="engine.next_token",
    title="an engine needs much longer from token to token than it used to",
    severity=Severity.WARNING,
    source="vllm-project/vllm:vllm/v1/metrics/loggers.py (inter_token_latency_seconds)",
    docs=__doc__ or "",
    needs=frozenset({"pods"}),
    reads=frozenset({Reads.ENGINE}),
    judge=_judge,
)
