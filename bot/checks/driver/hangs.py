"""The driver hangs: the GPU's firmware does not answer (Xid 119, 120), or programs that ask the driver never come back.

Kubernetes counts all GPUs as before. Only a reboot helps, often a forced one. The agent's own calls hang as well.
"""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.pattern import Pattern
from bot.domain.text import inert

PATIENCE_SECONDS = 60
_HANGS = Pattern(r"does not answer since (\d{1,9}) s")  # bot.agent.fault
_of_stack = fault({"driver_hangs"}, Severity.CRITICAL)


def _judge(scene: Scene) -> Iterator[Finding]:
    found = list(_of_stack(scene))
    yield from found
    hangs = _HANGS.search(scene.agent.trouble) if scene.agent is not None else None
    if found or hangs is None or int(hangs[1]) < PATIENCE_SECONDS:
        return
    yield Finding(
        state=State.FIRING,
        severity=Severity.CRITICAL,
        subject=scene.subject(),
        sentence=f"{scene.name}'s GPU driver does not answer its agent for {hangs[1]} s",
        evidence=(f"agent: “{inert(scene.agent.trouble if scene.agent else '')}”",),
        remedies=(
            *remedies.move(scene),
            remedies.reboot(scene, "from the cloud or its BMC if it does not go down by itself"),
        ),
        useless=("Deleting pods that do not start there does not help: each new one waits for the same driver",),
    )


CHECK = Check(
    id="driver.hangs",
    title="the GPU driver hangs",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/xid-errors/, NVIDIA/dcgm-exporter#84",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.KERNEL}),
    judge=_judge,
)
