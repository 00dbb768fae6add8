"""A kubelet takes a pod in: devices are handed out, or the pod is turned down."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.local.cluster.controllers.scheduler.pod import pod_requests
from bot.local.cluster.simulator.machine import AdmissionError, Machine
from bot.local.cluster.simulator.node_object import host_address
from bot.local.cluster.simulator.pod_run import PodRun, Stage, Trouble


def take_in(machine: Machine, pod: dict[str, Any], trouble: Trouble | None, now: datetime) -> PodRun | None:
    """None for a pod that has ended already; one with `rejection` set where the devices are not there."""
    phase = (pod.get("status") or {}).get("phase")
    if phase in ("Succeeded", "Failed"):
        return None
    machine.pods_taken_in += 1
    run = PodRun(pod, _address(machine), host_address(machine.number), now, trouble=trouble)
    try:
        machine.allocate(run.uid, _devices(machine, pod))
    except AdmissionError as error:
        run.rejection = ("UnexpectedAdmissionError", str(error))
        run.enter(Stage.FAILED, now, None)
        return run
    if phase == "Running":
        run.started_at = now
        run.enter(Stage.READY, now, None)
    return run


def _devices(machine: Machine, pod: Mapping[str, Any]) -> dict[str, int]:
    """What the pod asks of the device plugin; for a resource unknown to the node it asks nobody."""
    known = {device.resource for device in machine.devices}
    return {name: asked for name, asked in pod_requests(pod["spec"]).items() if name in known and asked}


def _address(machine: Machine) -> str:
    number = machine.number
    return f"10.{64 + number // 256}.{number % 256}.{machine.pods_taken_in % 254 + 1}"
