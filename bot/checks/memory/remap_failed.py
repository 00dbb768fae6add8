"""A bad row could not be replaced by a spare one: the GPU can no longer repair its memory.

The flag stays. Reset it once; where the flag is still there, or comes back, the GPU is replaced.
"""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import count


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if not gpu.remapped_rows.failed:
        return
    rows = gpu.remapped_rows.uncorrected
    so_far = f" after {count(rows, 'row')} that were" if rows else ""
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL,
        f"failed to remap a bad row of its memory{so_far}: it can no longer be repaired, and has to be replaced",
        evidence=("the driver's flag for a failed row remapping is set; Kubernetes does not see it",),
        remedies=(
            remedies.counters(scene, gpu),
            *remedies.move(scene),
            remedies.replace(scene, gpu),
        ),
        useless=("Restarting the device plugin does not help: it would hand out the same GPU again",),
    )


CHECK = Check(
    id="memory.remap_failed",
    title="a bad row of GPU memory could not be replaced",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(lambda gpu: gpu.remapped_rows.failed, "whether remapping rows failed", _judge, calls=("remappedRows",)),
)
