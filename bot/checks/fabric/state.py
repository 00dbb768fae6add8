"""Where GPUs are joined by NVSwitch, each says whether it has joined the fabric.

In progress for minutes means it has not.
"""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.held import held
from bot.checks.products import on_switch
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import duration
from bot.gpu.stack.commands import on_host

_NOT_STARTED, _IN_PROGRESS, _COMPLETED = 1, 2, 3


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if not (fact := _fact(scene, gpu)):
        return
    yield fires(
        scene,
        gpu,
        Severity.WARNING if gpu.fabric_state == _IN_PROGRESS else Severity.CRITICAL,
        fact,
        evidence=("CUDA answers 802 (system not yet initialized) until it has",),
        remedies=(
            remedies.look(scene, "Look at what its GPUs say of the fabric", "-q | grep -A 4 Fabric"),
            Remedy(
                "See why fabric manager does not bring it up (racks like GB200 have none on their nodes: see IMEX)",
                on_host(scene.name, "journalctl -b -u nvidia-fabricmanager --no-pager -n 30"),
            ),
        ),
    )


def _fact(scene: Scene, gpu: GpuReading) -> str:
    if gpu.fabric_state == _COMPLETED:
        return f"could not join its NVLink fabric (status {gpu.fabric_status})" if gpu.fabric_status else ""
    if gpu.fabric_state == _NOT_STARTED:
        return "" if scene.young else "has not begun to join its NVLink fabric: fabric manager does not run"
    if gpu.fabric_state != _IN_PROGRESS or scene.young:
        return ""
    so = held(scene, gpu, lambda one: one.fabric_state == _IN_PROGRESS)
    for_long = so.seconds >= limits.FABRIC_SECONDS
    return f"has been joining its NVLink fabric for {duration(so.seconds)}, without success" if for_long else ""


def _told(gpu: GpuReading) -> object:
    """Boards that no NVSwitch joins have no fabric."""
    return gpu.fabric_state if gpu.fabric_state is not None else None if on_switch(gpu.name) else 0


CHECK = Check(
    id="fabric.state",
    title="a GPU has not joined its NVLink fabric",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/nvml-api/ (nvmlGpuFabricInfo), NVIDIA/DCGM",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(_told, "the state of its NVLink fabric", _judge, calls=("gpuFabricInfo",)),
)
