"""The questions that cost milliseconds, or whose answers hardly ever change: asked in every n-th period.

NVML takes a lock in the driver for each call; who asks hard slows the others.
"""

import ctypes
from collections.abc import Iterator
from typing import Any

import pynvml

from bot.agent.worker.call import Call, Handle, call, first
from bot.agent.worker.questions import memory_v1


def _pci(handle: Handle) -> dict[str, Any]:
    found = pynvml.nvmlDeviceGetPciInfo(handle)
    return {"busId": found.busId, "domain": found.domain, "bus": found.bus, "device": found.device}


def _sram(handle: Handle) -> dict[str, int]:
    status = pynvml.c_nvmlEccSramErrorStatus_v1_t()
    pynvml.nvmlDeviceGetSramEccErrorStatus(handle, ctypes.byref(status))
    return {"bThresholdExceeded": status.bThresholdExceeded}


def _links(handle: Handle) -> list[int] | None:
    """Each link of the product, 1 active or 0; a number that the product has no link of is an invalid argument."""
    states: list[int] = []
    for link in range(pynvml.NVML_NVLINK_MAX_LINKS):
        try:
            states.append(pynvml.nvmlDeviceGetNvLinkState(handle, link))
        except pynvml.NVMLError as error:
            if error.value not in (pynvml.NVML_ERROR_INVALID_ARGUMENT, pynvml.NVML_ERROR_NOT_SUPPORTED):
                raise
            break
    return states or None


def _processes(handle: Handle) -> list[dict[str, Any]]:
    found = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
    return [{"pid": one.pid, "usedGpuMemory": one.usedGpuMemory} for one in found]


def _slices(handle: Handle) -> list[dict[str, Any]]:
    return [_slice(one) for one in _slice_handles(handle)]


def _slice_handles(handle: Handle) -> Iterator[Handle]:
    for place in range(pynvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
        try:
            yield pynvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, place)
        except pynvml.NVMLError as error:
            if error.value not in (pynvml.NVML_ERROR_NOT_FOUND, pynvml.NVML_ERROR_INVALID_ARGUMENT):
                raise


def _slice(handle: Handle) -> dict[str, Any]:
    """What it does not tell is left out, so that one odd slice does not hide the others."""
    told = {
        "uuid": first((pynvml.nvmlDeviceGetUUID,), handle),
        "name": first((pynvml.nvmlDeviceGetName,), handle),
        "gpuInstanceId": first((pynvml.nvmlDeviceGetGpuInstanceId,), handle),
        "computeInstanceId": first((pynvml.nvmlDeviceGetComputeInstanceId,), handle),
        "memoryInfo": first((memory_v1,), handle),
    }
    return {key: value for key, value in told.items() if value is not None}


DEAR: tuple[Call, ...] = (
    call("uuid", pynvml.nvmlDeviceGetUUID),
    call("name", pynvml.nvmlDeviceGetName),
    call("serial", pynvml.nvmlDeviceGetSerial),
    call("pciInfo", _pci),
    call("minorNumber", pynvml.nvmlDeviceGetMinorNumber),
    call("numaNodeId", pynvml.nvmlDeviceGetNumaNodeId),
    call("powerManagementDefaultLimit", pynvml.nvmlDeviceGetPowerManagementDefaultLimit),
    call("maxClockInfo", lambda handle: {"sm": pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_SM)}),
    call("maxPcieLinkGeneration", pynvml.nvmlDeviceGetMaxPcieLinkGeneration),
    call("maxPcieLinkWidth", pynvml.nvmlDeviceGetMaxPcieLinkWidth),
    call("sramEccErrorStatus", _sram),
    call("unrepairableMemoryFlag", pynvml.nvmlDeviceGetUnrepairableMemoryFlag_v1),
    call("nvLinkState", _links),
    call("computeRunningProcesses", _processes),
)
SLICES: tuple[Call, ...] = (call("migDevices", _slices),)
