"""What containers of the simulated fleet have written: the last words of those that fail, and the plugin's findings."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.local.cluster.simulator.machine import Machine, gpu_uuid
from bot.local.cluster.simulator.pod_run import PodRun

if TYPE_CHECKING:
    from bot.local.cluster.simulator.simulator import Simulator

PLUGIN = "device-plugin"


def log_of(simulator: "Simulator", namespace: str, name: str) -> str:
    """The text of a pod's log; empty for a pod that has said nothing or is unknown."""
    for group in simulator.groups.values():
        found = group.find((namespace, name))
        if found is not None:
            return "".join(f"{line}\n" for line in _lines(*found))
    return ""


def _lines(machine: Machine, run: PodRun) -> Iterator[str]:
    if PLUGIN in run.key[1]:
        for gpu, xid in sorted(machine.xids.items()):
            device = gpu_uuid(machine.spec, gpu)
            yield f"XidCriticalError: Xid={xid} on Device={device}, the device will go unhealthy."
            yield f"'nvidia.com/gpu' device marked unhealthy: {device}"
    if run.looks_at_gpus and run.started_at is not None:
        yield from _smi(machine, run)
    if run.trouble is not None and run.trouble.message:
        yield from run.trouble.message.splitlines()


def _smi(machine: Machine, run: PodRun) -> Iterator[str]:
    """One line for each GPU that the pod was given: index, name, uuid, driver, memory, uncorrected errors."""
    spec = machine.spec
    memory = spec.labels.get("nvidia.com/gpu.memory", "143771")
    for number, (_, device, _) in enumerate(run.devices):
        yield f"{number}, {spec.product.replace('-', ' ')}, {device}, {spec.driver}, {memory} MiB, 0"
