"""Libraries and loaded module are of different versions: what runs goes on, nothing new can start before a reboot."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.gpu.stack.packages import hold

MISMATCH = 18  # NVML_ERROR_LIB_RM_VERSION_MISMATCH
_of_stack = fault({"driver_mismatch"}, Severity.CRITICAL)


def _judge(scene: Scene) -> Iterator[Finding]:
    found = list(_of_stack(scene))
    yield from found
    if found or scene.agent is None or scene.agent.error != MISMATCH:
        return
    yield Finding(
        state=State.FIRING,
        severity=Severity.CRITICAL,
        subject=scene.subject(),
        sentence=f"{scene.name} has NVIDIA libraries that do not fit its loaded kernel module (NVML error {MISMATCH}): "
        "nothing new can use its GPUs before a reboot",
        remedies=(*remedies.move(scene), remedies.reboot(scene), hold(scene.node)),
    )


CHECK = Check(
    id="driver.mismatch",
    title="driver libraries and module differ",
    severity=Severity.CRITICAL,
    source="NVIDIA/k8s-device-plugin#1431, https://docs.nvidia.com/deploy/nvml-api/",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.KERNEL, Reads.AGENT, Reads.LOGS}),
    judge=_judge,
)
