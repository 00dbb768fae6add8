"""An engine runs, is Ready, and fails every request: its CUDA context is broken, and its health page does not see it.

The GPU is well as a rule: an illegal access is the program's own. A restart of the pod gives it a new context.
"""

from collections.abc import Iterator

import msgspec

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity
from bot.checks.pods import engine_logs
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.gpu.stack.commands import delete

_SIGNS = frozenset({"cuda-illegal-memory-access"})


def _judge(scene: Scene) -> Iterator[Finding]:
    for pod, match in engine_logs.matches(scene, _SIGNS):
        found = engine_logs.fires(
            scene,
            pod,
            match,
            Severity.CRITICAL,
            "fails its requests although it runs: CUDA error (illegal memory access), its context is broken",
        )
        yield msgspec.structs.replace(found, evidence=(*found.evidence, *_more(scene)), remedies=tuple(_helps(pod)))
    if untold := engine_logs.untold(scene):
        yield engine_logs.unknown(scene, untold)


def _more(scene: Scene) -> Iterator[str]:
    hit = [burst.cause.code for burst in scene.bursts]
    if hit:
        yield f"the driver reported Xid {hit[-1]} there"


def _helps(pod: Pod) -> Iterator[Remedy]:
    yield Remedy("Delete the pod: a new one has a new CUDA context", delete(pod), cost="what it is answering")
    yield Remedy("Let its probe ask the model for a token instead of the health page")


CHECK = Check(
    id="pods.broken_engine",
    title="an engine fails every request",
    severity=Severity.CRITICAL,
    source="vllm-project/vllm#36960, kserve/kserve#6259",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
