"""Hardly a drafted token is accepted: drafting (MTP, EAGLE) then costs more than it gains, or its output is wrong."""

from collections.abc import Iterator

from bot.checks.check import EngineCheck, Reads
from bot.checks.engine_scene import EngineScene
from bot.checks.finding import Finding, Severity
from bot.domain.answer import Remedy

SECONDS = 120.0
DRAFTS = 1_000.0
LENGTH = 1.3  # tokens a step, of which one comes without drafting


def _judge(scene: EngineScene) -> Iterator[Finding]:
    step = scene.lately(SECONDS)
    drafts = step.grown("drafts") if step is not None else None
    accepted = step.grown("accepted_drafts") if step is not None else None
    if not drafts or accepted is None or drafts < DRAFTS or 1 + accepted / drafts >= LENGTH:
        return
    yield scene.fires(
        Severity.INFO,
        f"accepts hardly a drafted token: {1 + accepted / drafts:.2f} tokens a step with drafting, 1 without",
        (f"{drafts:,.0f} drafts lately",),
        (Remedy("Try a newer release of the engine, or leave `--speculative-config` out"),),
    )


CHECK = EngineCheck(
    id="engine.drafts",
    title="an engine's drafts are not accepted",
    severity=Severity.INFO,
    source="vllm-project/vllm:vllm/v1/spec_decode/metrics.py, vllm-project/vllm#46367",
    docs=__doc__ or "",
    needs=frozenset({"pods"}),
    reads=frozenset({Reads.ENGINE}),
    judge=_judge,
)
