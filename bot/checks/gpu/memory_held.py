"""Memory of a GPU is in use and nobody is there who uses it.

What an ended program left behind, or one outside Kubernetes.

In two readings at least, since a program that starts shows its memory first.
"""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.held import held
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading
from bot.gpu.stack.commands import on_host


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if not _held(gpu) or scene.sight.users or held(scene, gpu, _held).samples < limits.HELD_SAMPLES:
        return
    gib = (gpu.memory_used_bytes or 0) / 2**30
    yield fires(
        scene,
        gpu,
        Severity.WARNING,
        f"has {gib:,.1f} GiB of memory in use, and neither a process nor a pod uses it",
        remedies=(
            Remedy("See who has it open", on_host(scene.name, "sh -c 'nvidia-smi; lsof /dev/nvidia*'")),
            remedies.reset(scene, gpu, "where nothing has it open"),
        ),
    )


def _held(gpu: GpuReading) -> bool:
    many = (gpu.memory_used_bytes or 0) >= limits.MEMORY_HELD_BYTES
    return many and gpu.processes == () and not gpu.pods and not gpu.mig_enabled


CHECK = Check(
    id="gpu.memory_held",
    title="GPU memory is held by nobody",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/deploy/nvml-api/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(
        lambda gpu: gpu.memory_used_bytes if gpu.processes is not None else None,
        "memory and processes",
        _judge,
        calls=("computeRunningProcesses",),
    ),
)
