"""A bad row waits to be replaced by a spare one, which happens at the next reset. No emergency.

It becomes one where programs die of it (Xid 94, 95), or where nobody resets the GPU for days.
"""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.held import held
from bot.checks.scene import Scene
from bot.checks.xid_events import same
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import duration


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if not gpu.remapped_rows.pending:
        return
    hit = [code for burst in scene.bursts if same(burst, gpu) for code in burst.codes if code in (94, 95)]
    waited = held(scene, gpu, lambda one: bool(one.remapped_rows.pending)).seconds
    late = waited >= limits.REMAP_PENDING_DAYS * 86_400
    why = f", and Xid {hit[0]} ended programs on it" if hit else f", for {duration(waited)} now" if late else ""
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL if hit or late else Severity.WARNING,
        f"has a bad row of memory that waits for a reset to be replaced by a spare one{why}",
        evidence=("until then it works; some platforms and the device plugin take it out of service all the same",),
        remedies=(
            remedies.counters(scene, gpu),
            *(remedies.move(scene) if hit or late else ()),
            remedies.reset(scene, gpu, "when nothing uses it" if hit or late else "at the next drain"),
            *remedies.restart_plugin(scene),
        ),
    )


CHECK = Check(
    id="memory.remap_pending",
    title="a bad row of GPU memory waits for a reset",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        lambda gpu: gpu.remapped_rows.pending, "whether a row remapping is pending", _judge, calls=("remappedRows",)
    ),
)
