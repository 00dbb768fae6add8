"""What a GPU says of the health of its NVLink fabric: bandwidth, routes, configuration.

A mask that is not zero is normal.
"""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.products import on_switch
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import names

_TRUE = 1  # of a two-bit field: 0 not supported, 1 it is so, 2 it is not
_FLAGS = (
    (0, "its bandwidth is degraded", Severity.CRITICAL),
    (2, "a route is being recovered", Severity.WARNING),
    (4, "a route is unhealthy", Severity.CRITICAL),
    (6, "it recovers from an access that timed out", Severity.WARNING),
)
_CONFIGURATION_SHIFT = 8  # four bits; 1 is none
_CONFIGURATIONS = {
    2: "its system's identity does not fit",
    3: "its chassis' serial number does not fit",
    4: "it is in no partition",
    5: "it has too few NVLinks",
    6: "its firmware does not fit",
    7: "its place does not fit",
    8: "its state does not fit",
}
_MANAGER_SHIFT, _DISCONNECTED = 14, 2


def wrong(mask: int) -> list[tuple[str, Severity]]:
    """What the decoded fields of a health mask complain of."""
    found = [(words, severity) for shift, words, severity in _FLAGS if mask >> shift & 3 == _TRUE]
    configuration = mask >> _CONFIGURATION_SHIFT & 15
    if configuration > 1:
        told = _CONFIGURATIONS.get(configuration, f"its configuration is not right ({configuration})")
        found.append((told, Severity.CRITICAL))
    if mask >> _MANAGER_SHIFT & 3 == _DISCONNECTED:
        found.append(("fabric manager is not connected", Severity.CRITICAL))
    return found


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    complaints = wrong(gpu.fabric_health_mask or 0)
    if not complaints:
        return
    yield fires(
        scene,
        gpu,
        min((severity for _, severity in complaints), key=lambda one: one.rank),
        f"reports of its NVLink fabric: {names([words for words, _ in complaints], 4)}",
        evidence=(f"health mask 0x{gpu.fabric_health_mask:x}",),
        remedies=(
            remedies.look(scene, "Look at the fabric's health", "-q | grep -A 20 Fabric"),
            *remedies.move(scene),
            remedies.reboot(scene, "if it comes back, have the links and switches looked at"),
        ),
    )


def _told(gpu: GpuReading) -> object:
    return gpu.fabric_health_mask if gpu.fabric_health_mask is not None else None if on_switch(gpu.name) else 0


CHECK = Check(
    id="fabric.health",
    title="the NVLink fabric of a GPU is degraded",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/nvml-api/ (nvmlGpuFabricInfo_v2, healthMask)",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(_told, "the health of its NVLink fabric", _judge, calls=("gpuFabricInfo",)),
)
