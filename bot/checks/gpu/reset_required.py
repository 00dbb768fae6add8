"""A GPU refuses calls until it is reset (NVML error 16), or lacks power from its cable (8)."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import fires
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading

NO_POWER, RESET_REQUIRED = 8, 16  # NVML_ERROR_INSUFFICIENT_POWER, NVML_ERROR_RESET_REQUIRED


def _judge(scene: Scene) -> Iterator[Finding]:
    for gpu in scene.gpus:
        codes = set(gpu.errors.values())
        if RESET_REQUIRED in codes:
            yield _refuses(scene, gpu)
        elif NO_POWER in codes:
            yield fires(
                scene,
                gpu,
                Severity.CRITICAL,
                f"lacks power from its cable (NVML error {NO_POWER})",
                remedies=(*remedies.move(scene), Remedy("Have somebody check its power cable and seating")),
            )


def _refuses(scene: Scene, gpu: GpuReading) -> Finding:
    return fires(
        scene,
        gpu,
        Severity.CRITICAL,
        f"answers nothing before it is reset (NVML error {RESET_REQUIRED})",
        remedies=(
            remedies.evidence(scene),
            *remedies.move(scene),
            remedies.reset(scene, gpu),
            *remedies.restart_plugin(scene),
        ),
    )


CHECK = Check(
    id="gpu.reset_required",
    title="a GPU has to be reset before it works",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/nvml-api/ (nvmlReturn_t)",
    docs=__doc__ or "",
    reads=frozenset({Reads.AGENT}),
    judge=_judge,
)
