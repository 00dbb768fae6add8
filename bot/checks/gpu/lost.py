"""A GPU is gone from the bus or does not answer: Xid 79 or 167, or NVML's errors 15 and 999 on it.

Hardware, power, heat or a riser; rarely the driver. A reboot is often not enough: the machine is powered off and on.
"""

from collections.abc import Iterator

from bot.checks import by_xid, remedies
from bot.checks.by_gpu import fires
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.checks.xid_events import same
from bot.checks.xid_groups import LOST
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading

_ERRORS = {15: "it is lost", 999: "the driver answers with an unknown error"}


def _judge(scene: Scene) -> Iterator[Finding]:
    for gpu in scene.gpus:
        if gpu.lost:
            yield _silent(scene, gpu)
    for group in by_xid.caused_by(scene, LOST):
        if not any(gpu.lost and same(group[-1], gpu) for gpu in scene.gpus):
            yield by_xid.fires(scene, group)


def _silent(scene: Scene, gpu: GpuReading) -> Finding:
    call, code = next((call, code) for call, code in gpu.errors.items() if code in _ERRORS)
    codes = list(dict.fromkeys(code for burst in scene.bursts if same(burst, gpu) for code in burst.codes))
    after = f" after Xid {codes[0]}" if codes else ""
    return fires(
        scene,
        gpu,
        Severity.CRITICAL,
        f"does not answer its driver any more{after}: {_ERRORS[code]} (NVML error {code})",
        evidence=(f"NVML's {call} on it failed with {code}",),
        remedies=(
            remedies.evidence(scene),
            *remedies.move(scene),
            Remedy(
                f"Power {scene.name} off and on (a virtual machine: stop and start it, or replace it): a reboot is "
                "often not enough"
            ),
            remedies.replace(scene, gpu),
        ),
        useless=("Restarting the device plugin does not help: one lost GPU can fail every allocation on the node",),
    )


CHECK = Check(
    id="gpu.lost",
    title="a GPU is lost",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html (79)",
    docs=__doc__ or "",
    reads=frozenset({Reads.AGENT, Reads.KERNEL}),
    judge=_judge,
)
