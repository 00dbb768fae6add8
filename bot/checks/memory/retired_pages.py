"""Pages put aside, on cards before Ampere: those that wait for a reset, and how many are left."""

from collections.abc import Iterator

from bot.checks import limits, remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.gpu_reading import GpuReading
from bot.domain.words import count


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    pages = gpu.retired_pages or 0
    if not gpu.retired_pages_pending and pages <= limits.RETIRED_SOME:
        return
    worst = pages >= limits.RETIRED_MOST
    waits = ", more wait for a reset" if gpu.retired_pages_pending else ""
    yield fires(
        scene,
        gpu,
        Severity.CRITICAL if worst else Severity.WARNING,
        f"has put {count(pages, 'memory page')} of 64 aside{waits}",
        remedies=(
            remedies.look(scene, "Look at which, and why", f"-q -d PAGE_RETIREMENT -i {gpu.index}"),
            remedies.replace(scene, gpu) if worst else remedies.reset(scene, gpu, "at the next drain"),
        ),
    )


def _told(gpu: GpuReading) -> object:
    """Cards that remap rows instead have none of these."""
    if gpu.remapped_rows.uncorrected is not None:
        return False
    return gpu.retired_pages if gpu.retired_pages is not None else gpu.retired_pages_pending


CHECK = Check(
    id="memory.retired_pages",
    title="a GPU has put memory pages aside",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/dynamic-page-retirement/, facebookresearch/gcm",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(_told, "retired pages", _judge, calls=("retiredPages", "remappedRows")),
)
