"""GPUs are shared by time-slicing or MPS: programs see each other's memory run out, since none has its own.

A choice, and no fault. It is told where pods share a card, because the second engine on it may die of a full memory.
"""

from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.words import count
from bot.gpu.kind import Form


def _judge(scene: Scene) -> Iterator[Finding]:
    rows = scene.sight.gpus.rows if scene.sight.gpus else ()
    for row in rows:
        if row.kind.form is not Form.SHARED or row.requested < 2:
            continue
        yield Finding(
            state=State.FIRING,
            severity=Severity.INFO,
            subject=scene.subject(),
            sentence=f"{scene.name} shares its GPUs ({row.kind.detail}): "
            f"{count(row.requested, 'share')} of {row.allocatable} are held, and memory is not kept apart",
            evidence=("a program that takes what is left makes the next one on that card fail with out of memory",),
            remedies=(
                Remedy(
                    "Give each engine a share of the memory that adds up (vLLM: `--gpu-memory-utilization`), or use MIG"
                ),
            ),
        )


CHECK = Check(
    id="mig.sharing",
    title="programs share GPU memory",
    severity=Severity.INFO,
    source="NVIDIA/k8s-device-plugin README (shared access to GPUs)",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
