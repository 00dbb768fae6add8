"""The driver's own verdict on a GPU: what has to be done with it. It is preferred to all that is inferred from Xids."""

from collections.abc import Iterator

from bot.checks import remedies
from bot.checks.by_gpu import READINGS, each, fires
from bot.checks.check import Check
from bot.checks.finding import Finding, Severity
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import GpuReading
from bot.gpu.stack.commands import on_host

_ACTIONS = {  # nvmlDeviceGpuRecoveryAction_t
    1: "asks to be reset",
    2: "asks for a reboot of its node",
    3: "asks that programs which use it together with other GPUs end; others may go on",
    4: "works with less capacity: it asks to be drained when convenient, and reset then",
    5: "asks that the IMEX domain be recovered",
    6: "asks for a reset of its bus",
    7: "asks for a reboot of the whole system",
}
_CONVENIENT = frozenset({3, 4})


def _judge(scene: Scene, gpu: GpuReading) -> Iterator[Finding]:
    action = gpu.recovery_action or 0
    if not action:
        return
    known = action in _ACTIONS
    yield fires(
        scene,
        gpu,
        Severity.WARNING if action in _CONVENIENT or not known else Severity.CRITICAL,
        f"{_ACTIONS.get(action, 'asks for an action that is not known here')} (recovery action {action} of its driver)",
        evidence=("the driver says so itself, which counts for more than any Xid",),
        remedies=tuple(_remedies(scene, gpu, action)),
    )


def _remedies(scene: Scene, gpu: GpuReading, action: int) -> Iterator[Remedy]:
    yield remedies.evidence(scene)
    if action == 3:
        yield Remedy("End the pods that use this GPU together with others; pods with this one GPU may stay")
        return
    yield from remedies.move(scene)
    if action in (1, 4):
        yield remedies.reset(scene, gpu)
        yield from remedies.restart_plugin(scene)
    elif action == 5:
        yield Remedy("Restart IMEX on the nodes of its domain", on_host(scene.name, "systemctl restart nvidia-imex"))
    else:
        yield remedies.reboot(scene)


CHECK = Check(
    id="gpu.recovery_action",
    title="the driver asks for a recovery action",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/error-recovery-and-response-flags.html",
    docs=__doc__ or "",
    reads=READINGS,
    judge=each(lambda gpu: gpu.recovery_action, "its recovery action", _judge, calls=("gpuRecoveryAction",)),
)
