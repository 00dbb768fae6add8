"""What NVML tells in one batch (nvmlDeviceGetFieldValues): each value has its own return code.

Ids are NVML_FI_DEV_* of nvml.h; drivers before an id answer InvalidArgument for it, which is as good as not supported.
"""

import struct
from collections.abc import Sequence
from typing import Any

import pynvml

from bot.agent.worker.call import NOT_TOLD, Handle, Told

Place = tuple[str, ...]

EACH: dict[int, Place] = {
    pynvml.NVML_FI_DEV_ECC_CURRENT: ("eccMode", "current"),
    pynvml.NVML_FI_DEV_ECC_PENDING: ("eccMode", "pending"),
    pynvml.NVML_FI_DEV_ECC_SBE_VOL_TOTAL: ("totalEccErrors", "volatile", "corrected"),
    pynvml.NVML_FI_DEV_ECC_DBE_VOL_TOTAL: ("totalEccErrors", "volatile", "uncorrected"),
    pynvml.NVML_FI_DEV_ECC_SBE_AGG_TOTAL: ("totalEccErrors", "aggregate", "corrected"),
    pynvml.NVML_FI_DEV_ECC_DBE_AGG_TOTAL: ("totalEccErrors", "aggregate", "uncorrected"),
    pynvml.NVML_FI_DEV_MEMORY_TEMP: ("memoryTemperature",),
    pynvml.NVML_FI_DEV_PCIE_REPLAY_COUNTER: ("pcieReplayCounter",),
    pynvml.NVML_FI_DEV_REMAPPED_COR: ("remappedRows", "corrRows"),
    pynvml.NVML_FI_DEV_REMAPPED_UNC: ("remappedRows", "uncRows"),
    pynvml.NVML_FI_DEV_REMAPPED_PENDING: ("remappedRows", "isPending"),
    pynvml.NVML_FI_DEV_REMAPPED_FAILURE: ("remappedRows", "failureOccurred"),
    pynvml.NVML_FI_DEV_GET_GPU_RECOVERY_ACTION: ("gpuRecoveryAction",),
}
DEAR: dict[int, Place] = {
    pynvml.NVML_FI_DEV_RETIRED_SBE: ("retiredPagesBy", "corrected"),
    pynvml.NVML_FI_DEV_RETIRED_DBE: ("retiredPagesBy", "uncorrected"),
    pynvml.NVML_FI_DEV_RETIRED_PENDING: ("retiredPagesPendingStatus",),
    pynvml.NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL: ("nvLinkErrorCounter", "crcFlit"),
    pynvml.NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL: ("nvLinkErrorCounter", "crcData"),
    pynvml.NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL: ("nvLinkErrorCounter", "replay"),
    pynvml.NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL: ("nvLinkErrorCounter", "recovery"),
}
_SILENT = NOT_TOLD | {pynvml.NVML_ERROR_INVALID_ARGUMENT, pynvml.NVML_ERROR_DEPRECATED}
_FIELD = struct.Struct("=IIqqII8s")  # nvmlFieldValue_t: id, scope, time, latency, type, return code, value
_VALUES = {
    pynvml.NVML_VALUE_TYPE_DOUBLE: struct.Struct("=d"),
    pynvml.NVML_VALUE_TYPE_UNSIGNED_INT: struct.Struct("=I"),
    pynvml.NVML_VALUE_TYPE_UNSIGNED_LONG: struct.Struct("=Q"),
    pynvml.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: struct.Struct("=Q"),
    pynvml.NVML_VALUE_TYPE_SIGNED_LONG_LONG: struct.Struct("=q"),
    pynvml.NVML_VALUE_TYPE_SIGNED_INT: struct.Struct("=i"),
    pynvml.NVML_VALUE_TYPE_UNSIGNED_SHORT: struct.Struct("=H"),
}


def ask(places: dict[int, Place], handle: Handle, told: Told) -> None:
    """Asks for all of them at once. The bytes are unpacked here: pynvml's attributes cost more than NVML itself."""
    try:
        found = pynvml.nvmlDeviceGetFieldValues(handle, [(number, 0) for number in places])
    except pynvml.NVMLError as error:
        if error.value not in NOT_TOLD:
            told.errors["fieldValues"] = error.value
        return
    for place, one in zip(places.values(), _FIELD.iter_unpack(bytes(found)), strict=True):
        *_, kind, code, value = one
        if code == pynvml.NVML_SUCCESS:
            _put(told.values, place, number_of(kind, value))
        elif code not in _SILENT:
            told.errors[".".join(place)] = code


def number_of(kind: int, value: bytes) -> int | float | None:
    """The number in a field's eight bytes, by NVML's type of it."""
    layout = _VALUES.get(kind)
    found: int | float | None = layout.unpack_from(value)[0] if layout else None
    return found


def _put(values: dict[str, Any], place: Sequence[str], value: int | float | None) -> None:
    *above, last = place
    for step in above:
        values = values.setdefault(step, {})
    values[last] = value
