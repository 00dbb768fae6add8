"""No working driver: nobody installs one, its pod does not get ready, or the module is not loaded."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.gpu.stack import commands

_WORDS = {9: "its module is not loaded", 12: "its library is not there"}  # nvmlReturn_t
_of_stack = fault({"driver", "driver_not_installed", "driver_not_loaded", "driver_installs"}, Severity.CRITICAL)


def _judge(scene: Scene) -> Iterator[Finding]:
    found = list(_of_stack(scene))
    yield from found
    error = scene.agent.error if scene.agent is not None else None
    if found or error not in _WORDS or scene.young:
        return
    yield Finding(
        state=State.FIRING,
        severity=Severity.CRITICAL,
        subject=scene.subject(),
        sentence=f"{scene.name} has no working driver: {_WORDS[error or 0]} (NVML error {error})",
        remedies=(commands.look(scene.sight), remedies.cordon(scene)),
    )


CHECK = Check(
    id="driver.missing",
    title="it has no working driver",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/troubleshooting.html",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
