"""The questions that cost microseconds, asked in each period."""

import ctypes
from typing import Any

import pynvml

from bot.agent.worker.call import Call, Handle, call


def _memory_v2(handle: Handle) -> dict[str, int]:
    found = pynvml.nvmlDeviceGetMemoryInfo(handle, version=pynvml.nvmlMemory_v2)
    return {"total": found.total, "used": found.used, "free": found.free, "reserved": found.reserved}


def memory_v1(handle: Handle) -> dict[str, int]:
    found = pynvml.nvmlDeviceGetMemoryInfo(handle)
    return {"total": found.total, "used": found.used, "free": found.free}


def _utilization(handle: Handle) -> dict[str, int]:
    found = pynvml.nvmlDeviceGetUtilizationRates(handle)
    return {"gpu": found.gpu, "memory": found.memory}


def _sm_clock(handle: Handle) -> dict[str, int]:
    return {"sm": pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM)}


def _mig_mode(handle: Handle) -> dict[str, int]:
    current, pending = pynvml.nvmlDeviceGetMigMode(handle)
    return {"currentMode": current, "pendingMode": pending}


def _fabric(version: Any) -> Any:
    """nvmlDeviceGetGpuFabricInfoV with that struct; its version says which one."""

    def ask(handle: Handle) -> dict[str, int]:
        info = version()
        pynvml.nvmlDeviceGetGpuFabricInfoV(handle, ctypes.byref(info))
        return {"state": info.state, "status": info.status, "cliqueId": info.cliqueId, "healthMask": info.healthMask}

    return ask


def _fabric_v1(handle: Handle) -> dict[str, int]:
    info = pynvml.c_nvmlGpuFabricInfo_t()
    pynvml.nvmlDeviceGetGpuFabricInfo(handle, ctypes.byref(info))
    return {"state": info.state, "status": info.status, "cliqueId": info.cliqueId}


EACH: tuple[Call, ...] = (
    call("memoryInfo", _memory_v2, memory_v1),
    call("utilizationRates", _utilization),
    call(
        "temperature",
        lambda handle: pynvml.nvmlDeviceGetTemperatureV(handle, pynvml.NVML_TEMPERATURE_GPU),
        lambda handle: pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU),
    ),
    call("marginTemperature", pynvml.nvmlDeviceGetMarginTemperature),
    call("powerUsage", pynvml.nvmlDeviceGetPowerUsage),
    call("enforcedPowerLimit", pynvml.nvmlDeviceGetEnforcedPowerLimit),
    call("clockInfo", _sm_clock),
    call(
        "currentClocksEventReasons",
        pynvml.nvmlDeviceGetCurrentClocksEventReasons,
        pynvml.nvmlDeviceGetCurrentClocksThrottleReasons,
    ),
    call("currPcieLinkGeneration", pynvml.nvmlDeviceGetCurrPcieLinkGeneration),
    call("currPcieLinkWidth", pynvml.nvmlDeviceGetCurrPcieLinkWidth),
    call("persistenceMode", pynvml.nvmlDeviceGetPersistenceMode),
    call("migMode", _mig_mode),
    call(
        "gpuFabricInfo", _fabric(pynvml.c_nvmlGpuFabricInfo_v3_t), _fabric(pynvml.c_nvmlGpuFabricInfo_v2_t), _fabric_v1
    ),
)
