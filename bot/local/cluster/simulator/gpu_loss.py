"""A GPU fails: what the device plugin, a problem detector and the pods on it make of that.

Condition types are those of AKS' node problem detector, which has a rule for both cases; upstream has none for GPUs.
"""

from bot.local.cluster.simulator.heartbeat import report_node
from bot.local.cluster.simulator.lifecycle import crash
from bot.local.cluster.simulator.machine import Machine, pci_address
from bot.local.cluster.simulator.pod_run import RUNS, Stage, Trouble
from bot.local.cluster.simulator.simulator import Simulator
from bot.local.cluster.simulator.slices import PATH as SLICES
from bot.local.cluster.simulator.slices import resource_slice, slice_name

OFF_THE_BUS = 79
DETECTOR = "node-problem-detector"
TEXTS = {
    48: "DBE (double bit error) ECC error",
    79: "GPU has fallen off the bus.",
    94: "Contained memory error",
    95: "Uncontained memory error",
    119: "Timeout waiting for RPC from GSP",
}
CRASH_TEXTS = {
    79: "RuntimeError: CUDA error: unspecified launch failure",
    94: "RuntimeError: CUDA error: uncorrectable ECC error encountered",
    95: "RuntimeError: CUDA error: uncorrectable ECC error encountered",
}


async def lose_gpu(simulator: Simulator, node: str, gpu: int, xid: int) -> None:
    group, machine = simulator.machine(node)
    if not 0 <= gpu < machine.spec.gpus:
        raise ValueError(f"{node} has no GPU {gpu}")

    async def lose() -> None:
        machine.lost_gpus.add(gpu)
        machine.xids[gpu] = xid
        holders = {device.holder for device in machine.devices if device.gpu == gpu and device.holder}
        for device in machine.devices:
            device.healthy = device.healthy and device.gpu != gpu
        machine.conditions |= _conditions(machine, gpu, xid)
        await _report(simulator, machine)
        text = f"NVRM: Xid (PCI:{pci_address(gpu)}): {xid}, {_text(xid)}"
        about = {"kind": "Node", "metadata": {"name": node, "uid": node}}
        await simulator.reporter.report(about, DETECTOR, "XIDError", text, warning=True, host=node)
        trouble = Trouble("crash-loop", "Error", 1, CRASH_TEXTS.get(xid, CRASH_TEXTS[OFF_THE_BUS]))
        for run in [run for run in machine.pods.values() if run.uid in holders]:
            run.trouble = trouble
            notes = list(crash(run, trouble, simulator.clock.now())) if run.stage in RUNS else []
            group.settle(machine, run, notes)

    await group.done(lose)
    await group.done(_nothing)


async def repair_gpu(simulator: Simulator, node: str, gpu: int) -> None:
    """Reset or replaced: healthy again, and the pods on it start anew."""
    group, machine = simulator.machine(node)

    async def repair() -> None:
        machine.lost_gpus.discard(gpu)
        machine.xids.pop(gpu, None)
        for device in machine.of_gpu(gpu) if machine.devices else ():
            device.healthy = True
        gone = tuple(machine.conditions) if not machine.lost_gpus else ()
        for type_ in gone:
            del machine.conditions[type_]
        await _report(simulator, machine, gone)
        holders = {device.holder for device in machine.devices if device.gpu == gpu}
        for run in [run for run in machine.pods.values() if run.uid in holders]:
            run.trouble = None
            if run.stage is Stage.CRASHED:
                run.until = simulator.clock.now()
            group.settle(machine, run, ())

    await group.done(repair)


async def _report(simulator: Simulator, machine: Machine, gone: tuple[str, ...] = ()) -> None:
    await report_node(simulator.client, machine, simulator.clock.now(), gone=gone)
    if machine.spec.strategy == "dra":
        path = f"{SLICES}/{slice_name(machine.spec)}"
        generation = (await simulator.client.get(path))["spec"]["pool"]["generation"] + 1
        await simulator.client.patch(path, {"spec": resource_slice(machine, generation)["spec"]})


def _conditions(machine: Machine, gpu: int, xid: int) -> dict[str, dict[str, str]]:
    text = f"GPU {gpu} ({pci_address(gpu)}): Xid {xid}, {_text(xid)}"
    found = {"XIDErrors": {"status": "True", "reason": "XIDErrorDetected", "message": text}}
    if xid == OFF_THE_BUS:
        left = machine.spec.gpus - len(machine.lost_gpus)
        missing = f"expected {machine.spec.gpus} GPUs, found {left}"
        found["GPUMissing"] = {"status": "True", "reason": "GPUMissing", "message": missing}
    return found


def _text(xid: int) -> str:
    return TEXTS.get(xid, "unknown error")


async def _nothing() -> None:
    """Waited for in the group's turn: the pods' new states have been written then."""
