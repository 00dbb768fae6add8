"""Replays and recoveries of NVLinks, faster than one a minute. One alone is noise, and old ones do not count."""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.held import per_minute
from bot.checks.products import has_links
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading

_COUNTED = ("replay", "recovery")


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    for kind in _COUNTED:
        rate = per_minute(scene, gpu, lambda one, kind=kind: one.nvlink_errors.get(kind))  # type: ignore[misc]
        if rate is not None and rate >= limits.LINK_ERRORS_PER_MINUTE:
            yield fires(
                scene,
                gpu,
                Severity.WARNING,
                f"counts {rate:,.1f} NVLink {kind} errors a minute (one is DCGM's limit)",
                remedies=(
                    remedies.look(scene, "Look at which link", f"nvlink -e -i {gpu.index}"),
                    *remedies.move(scene),
                    remedies.reboot(scene, "if it comes back, have the board replaced"),
                ),
            )


def _told(gpu: GpuReading) -> object:
    if gpu.nvlink_errors:
        return gpu.nvlink_errors
    return None if has_links(gpu.name) else ()


CHECK = Check(
    id="links.nvlink_errors",
    title="an NVLink repeats or recovers",
    severity=Severity.WARNING,
    source="NVIDIA/DCGM:modules/health (one replay or recovery a minute)",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(_told, "the errors of its NVLinks", _judge, calls=("nvLinkErrorCounter",)),
)
