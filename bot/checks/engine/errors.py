"""Requests end with an error. What callers broke off themselves is told beside it, and is no error of the engine."""

from collections.abc import Iterator

from bot.checks.check import EngineCheck, Reads
from bot.checks.engine.relief import restart
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.domain.answer import Remedy
from bot.domain.engine_window import Delta
from bot.domain.words import count, duration
from bot.gpu.stack.commands import logs

SECONDS = 120.0
ERRORS = 5.0
SHARE, GRAVE = 0.02, 0.5


def _judge(scene: EngineScene) -> Iterator[Finding]:
    step = scene.lately(SECONDS)
    if step is None:
        return
    failed, ended = step.grown("errors"), step.grown("ended")
    if failed is None or ended is None or failed < ERRORS or failed < SHARE * ended:
        return
    whole = max(ended, failed)
    grave = failed >= GRAVE * whole
    yield scene.fires(
        Severity.CRITICAL if grave else Severity.WARNING,
        f"failed {count(round(failed), 'request')} of {whole:,.0f} in {duration(step.seconds or 0.0)} "
        f"({failed / whole:.0%})",
        tuple(_evidence(step)),
        tuple(_helps(scene, grave)),
    )


def _evidence(step: Delta) -> Iterator[str]:
    told = ((how, number) for how, number in step.finished.items() if number)
    by_number = sorted(told, key=lambda one: -one[1])
    if by_number:
        yield "they ended by " + ", ".join(f"{how} {number:,.0f}" for how, number in by_number[:5])


def _helps(scene: EngineScene, grave: bool) -> Iterator[Remedy]:
    main = next((one.name for one in scene.pod.containers if not one.init and not one.sidecar), "")
    if main:
        yield Remedy("See what it says of them, in its log", logs(scene.pod, main), cost="none")
    if grave:
        yield restart(scene)


CHECK = EngineCheck(
    id="engine.errors",
    title="an engine fails requests",
    severity=Severity.CRITICAL,
    source="vllm-project/vllm:vllm/v1/metrics/loggers.py (request_success by finished_reason)",
    docs=__doc__ or "",
    needs=frozenset({"pods"}),
    reads=frozenset({Reads.ENGINE}),
    judge=_judge,
)
