"""GPUs: there, answering, counted."""

from typing import Any

from bot.checks.finding import Severity
from tests.checks.building import Told, a_scene, before, gpu, kernel, without, xid
from tests.factories import a_node, a_pod

RECOVERS = "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"
LOST: dict[str, Any] = {"errors": {"handleByIndex": 15}}
LEFT_OVER = gpu(0, computeRunningProcesses=[])


def by_xid(code: int, says: str, severity: Severity, near: int) -> Told:
    return Told(
        rf"gpu-1's GPU 0 reported Xid {code} \({says}",
        severity,
        lambda: a_scene(gpu(0), log=kernel(xid(code))),
        lambda: a_scene(gpu(0), log=kernel(xid(near))),
        a_scene,
    )


TOLD = {
    "lost": Told(
        r"gpu-1's GPU 1 does not answer its driver any more after Xid 79: it is lost \(NVML error 15\)",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0), gpu(1, **LOST), log=kernel(xid(79, bus="19"))),
        lambda: a_scene(gpu(0, errors={"utilizationRates": 3}), log=kernel(xid(45))),
        a_scene,
    ),
    "recovery_action": Told(
        r"gpu-1's GPU 0 asks to be reset \(recovery action 1 of its driver\)",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0, gpuRecoveryAction=1)),
        lambda: a_scene(gpu(0), log=kernel(xid(48))),
        lambda: a_scene(gpu(0, gpuRecoveryAction=None)),
    ),
    "recovery_event": Told(
        r"gpu-1's GPU 0: its driver asks for “GPU Reset Required” \(Xid 154\) 1 min ago",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0, gpuRecoveryAction=None), log=kernel(xid(154, text=RECOVERS))),
        lambda: a_scene(gpu(0), log=kernel(xid(154, text=RECOVERS))),
        a_scene,
    ),
    "count": Told(
        r"gpu-1 should have 8 GPUs \(label `nvidia.com/gpu.count=8`\), and the driver lists 2",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0), gpu(1), node=a_node(gpus=8)),
        lambda: a_scene(gpu(0), gpu(1), node=a_node(gpus=2)),
        lambda: without(a_scene(gpu(0)), "nodes"),
    ),
    "oversold": Told(
        r"gpu-1 offers 16 nvidia.com/gpu and has 1 card \(the driver lists them\): GPUs are oversold",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0), node=a_node(gpus=16)),
        lambda: a_scene(
            gpu(0), node=a_node(gpus=16, more_labels={"nvidia.com/gpu.replicas": "16", "nvidia.com/gpu.count": "1"})
        ),
        lambda: without(a_scene(gpu(0)), "nodes"),
    ),
    "inforom": Told(
        "gpu-1's GPU 0 has a corrupted InfoROM",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0), log=kernel((60, "NVRM: WARNING: infoROM is corrupted at gpu 0000:18:00.0"))),
        lambda: a_scene(gpu(0, errors={"temperature": 3})),
        a_scene,
    ),
    "reset_required": Told(
        r"gpu-1's GPU 0 answers nothing before it is reset \(NVML error 16\)",
        Severity.CRITICAL,
        lambda: a_scene(gpu(0, errors={"memoryInfo": 16})),
        lambda: a_scene(gpu(0, errors={"memoryInfo": 3})),
        a_scene,
    ),
    "memory_held": Told(
        "gpu-1's GPU 0 has 139.0 GiB of memory in use, and neither a process nor a pod uses it",
        Severity.WARNING,
        lambda: a_scene(LEFT_OVER, earlier=before((60, [LEFT_OVER]))),
        lambda: a_scene(LEFT_OVER, earlier=before((60, [LEFT_OVER])), pods=[a_pod()]),
        lambda: a_scene(gpu(0, computeRunningProcesses=None)),
    ),
    "halted": by_xid(62, "the power controller halted", Severity.CRITICAL, near=63),
    "power_cable": by_xid(54, "its power cable", Severity.CRITICAL, near=43),
    "context_timeout": by_xid(109, "a program did not give the GPU back", Severity.WARNING, near=31),
    "other_xid": by_xid(999, "not in the catalogue", Severity.WARNING, near=31),
    "board_flash": by_xid(93, "the board's flash", Severity.INFO, near=45),
}
