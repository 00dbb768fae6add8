"""An engine computed no numbers (NaN) for a request: what it answered is worth nothing, and nobody gets an error."""

from collections.abc import Iterator

from bot.checks.check import EngineCheck, Reads
from bot.checks.engine.relief import restart
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.domain.answer import Remedy
from bot.domain.words import count, duration


def _judge(scene: EngineScene) -> Iterator[Finding]:
    step = scene.window.whole
    grown = step.grown("corrupted") if step is not None else None
    if step is None or not grown:
        return
    node = scene.pod.node
    look = Remedy(f"Look at its GPUs first: `/gpu node {node}` shows memory errors", cost="none") if node else None
    yield scene.fires(
        Severity.WARNING,
        f"answered {count(round(grown), 'request')} with logits that are no numbers in {duration(step.seconds or 0.0)}",
        (f"{step.after.corrupted or 0:,.0f} since its start",),
        (*((look,) if look is not None else ()), restart(scene)),
        useless=("A restart alone does not help where the model or its quantisation is behind it: then it comes back",),
    )


CHECK = EngineCheck(
    id="engine.corrupted",
    title="an engine computes logits that are no numbers",
    severity=Severity.WARNING,
    source="vllm-project/vllm:vllm/v1/metrics/loggers.py (corrupted_requests)",
    docs=__doc__ or "",
    needs=frozenset({"pods"}),
    reads=frozenset({Reads.ENGINE}),
    judge=_judge,
)
