"""Persistence mode is off: the first program waits for the GPU, and its settings are lost when it is idle."""

from collections.abc import Iterator

from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading
from bot.gpu.stack.commands import on_host


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    if gpu.persistence_mode:
        return
    yield fires(
        scene,
        gpu,
        Severity.INFO,
        "has persistence mode off: its first program waits for it, and counters and settings go when it is idle",
        remedies=(
            Remedy(
                "Switch the persistence daemon on",
                on_host(scene.name, "systemctl enable --now nvidia-persistenced"),
                cost="none",
            ),
        ),
    )


CHECK = Check(
    id="driver.persistence",
    title="persistence mode is off",
    severity=Severity.INFO,
    source="https://docs.nvidia.com/deploy/driver-persistence/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(lambda gpu: gpu.persistence_mode, "its persistence mode", _judge, calls=("persistenceMode",)),
)
