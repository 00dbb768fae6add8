"""The GPU Operator upgrades the driver of a node: cordon, labels, events, and all of it undone at the end.

Source: NVIDIA/k8s-operator-libs:pkg/upgrade/consts.go.
"""

from typing import Any

from bot.local.cluster.simulator.client import MERGE
from bot.local.cluster.simulator.simulator import NODES, Simulator

STATE = "nvidia.com/gpu-driver-upgrade-state"
ENABLED = "nvidia.com/gpu-driver-upgrade-enabled"
REASON, OPERATOR = "GPUDriverUpgrade", "nvidia-gpu-operator"


async def begin_upgrade(simulator: Simulator, node: str, state: str = "pod-restart-required") -> None:
    """Cordoned, and as far as the restart of the driver pod."""
    await _mark(simulator, node, state, unschedulable=True)
    text = f"Successfully updated node state label to {state}"
    await _tell(simulator, node, text)


async def finish_upgrade(simulator: Simulator, node: str) -> None:
    await _mark(simulator, node, "upgrade-done", unschedulable=False)
    await _tell(simulator, node, "Successfully updated node state label to upgrade-done")


async def _mark(simulator: Simulator, node: str, state: str, *, unschedulable: bool) -> None:
    simulator.machine(node)  # it must be one of ours
    meta: dict[str, Any] = {"labels": {STATE: state}, "annotations": {ENABLED: "true"}}
    spec = {"unschedulable": True if unschedulable else None}
    await simulator.client.patch(f"{NODES}/{node}", {"metadata": meta, "spec": spec}, how=MERGE)


async def _tell(simulator: Simulator, node: str, text: str) -> None:
    about = {"kind": "Node", "metadata": {"name": node, "uid": node}}
    await simulator.reporter.report(about, OPERATOR, REASON, text)
