"""Which GPUs were reset between two readings, by what only a reset changes."""

from typing import Any

from bot.agent.xids import short_bus

LOST = 15
Gpu = dict[str, Any]


def resets(before: list[Gpu], after: list[Gpu]) -> dict[str, str]:
    """Bus id → the sign of its reset."""
    then = {bus: gpu for gpu in before if (bus := _bus(gpu))}
    found = ((bus, _sign(then[bus], gpu)) for gpu in after if (bus := _bus(gpu)) in then)
    return {bus: sign for bus, sign in found if sign}


def _sign(before: Gpu, after: Gpu) -> str:
    if _lost(before) and not _lost(after):
        return "the GPU answers again"
    if _lost(after):
        return ""
    if before.get("gpuRecoveryAction") and after.get("gpuRecoveryAction") == 0:
        return "the driver asks for no recovery any more"
    if before.get("remappedRows", {}).get("isPending") and after.get("remappedRows", {}).get("isPending") == 0:
        return "pending rows have been remapped"
    return ""


def _lost(gpu: Gpu) -> bool:
    return LOST in gpu.get("errors", {}).values()


def _bus(gpu: Gpu) -> str:
    return short_bus(gpu.get("pciInfo", {}).get("busId", ""))
