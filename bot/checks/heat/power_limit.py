"""Somebody set a power limit below the default: the GPU is slower than others of its kind, perhaps on purpose."""

from collections.abc import Iterator

from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading
from bot.gpu.stack.commands import on_host


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    limit, default = gpu.power_limit_milliwatts or 0, gpu.power_limit_default_milliwatts
    if default is None or limit >= default:
        return
    watts = default // 1000
    yield fires(
        scene,
        gpu,
        Severity.INFO,
        f"has a power limit of {limit / 1000:.0f} W, its default is {watts} W: somebody set it",
        remedies=(
            Remedy(
                "If it is not on purpose, set it back",
                on_host(scene.name, f"nvidia-smi -pl {watts} -i {gpu.index}"),
                cost="more power and heat",
            ),
        ),
    )


def _told(gpu: GpuReading) -> object:
    return gpu.power_limit_default_milliwatts if gpu.power_limit_milliwatts is not None else None


CHECK = Check(
    id="heat.power_limit",
    title="a power limit is below the default",
    severity=Severity.INFO,
    source="https://docs.nvidia.com/deploy/nvml-api/",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(_told, "its power limits", _judge, calls=("enforcedPowerLimit", "powerManagementDefaultLimit")),
)
