"""A node's GPU reading from JSON: what the node agent serves, and a folder's agent.json.

Either a list of GPUs, or an object with `gpus` and what concerns the node. Keys of a GPU are NVML's function names
without `nvmlDeviceGet` and `nvmlSystemGet`, struct members inside (`memoryInfo.used`). Nothing in it is trusted: a
value of the wrong type was not told. The agent writes the same form (`bot.agent`), so a captured reading is a reading.
"""

from datetime import datetime
from typing import Any

import msgspec

from bot.domain.fields import Fields
from bot.domain.gpu_reading import (
    ClearedXid,
    EccCounts,
    From,
    GpuReading,
    MigDevice,
    NodeReading,
    Process,
    RemappedRows,
    XidEvent,
)
from bot.domain.time import read_time

GPUS_MAX, CLEARED_MAX = 128, 256
LONGEST_BYTES = 10 * 2**20
UNREADABLE = "its reading is no JSON that an agent would write"


def read(text: str | bytes, node: str, *, taken_at: datetime | None = None) -> NodeReading:
    """Never raises: what cannot be read at all is a reading with `trouble`."""
    if len(text) > LONGEST_BYTES:
        return NodeReading(
            node=node, taken_at=taken_at, trouble=f"its reading is longer than {LONGEST_BYTES >> 20} MiB"
        )
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return NodeReading(node=node, taken_at=taken_at, trouble=UNREADABLE)
    whole = Fields({"gpus": data} if isinstance(data, list) else data, f"reading of {node}")
    if not isinstance(data, (list, dict)):
        return NodeReading(node=node, taken_at=taken_at, trouble=UNREADABLE)
    listed = list(whole.each("gpus"))[:GPUS_MAX]
    first = listed[0] if listed else Fields()
    return NodeReading(
        node=node,
        source=From.AGENT,
        taken_at=read_time(whole.text("takenAt")) or taken_at,
        driver_version=whole.text("driverVersion") or first.text("driverVersion"),
        cuda_version=_cuda(whole.number("cudaDriverVersion") or first.number("cudaDriverVersion")),
        nvml_version=whole.text("nvmlVersion"),
        agent_version=whole.text("agentVersion"),
        gpus=tuple(_gpu(one, place) for place, one in enumerate(listed)),
        xids=tuple(_xid(one) for one in whole.each("xids")),
        cleared=tuple(_cleared(one) for one in whole.each("clearedXids"))[:CLEARED_MAX],
        trouble=whole.text("trouble"),
        error=whole.number("error"),
    )


class _Cleared(msgspec.Struct, rename="camel", gc=False):
    """Only what is over: everything else in a reading is skipped without being made."""

    cleared_xids: Any = None


_cleared_only = msgspec.json.Decoder(_Cleared)


def cleared(text: str) -> tuple[ClearedXid, ...]:
    """Xids that the agent says are over; none where it says nothing that can be read."""
    if not text or len(text) > LONGEST_BYTES or "clearedXids" not in text:
        return ()
    try:
        told = _cleared_only.decode(text).cleared_xids
    except (msgspec.DecodeError, RecursionError):
        return ()
    return tuple(_cleared(one) for one in Fields({"c": told}, "cleared Xids").each("c"))[:CLEARED_MAX]


def _cleared(one: Fields) -> ClearedXid:
    return ClearedXid(
        code=one.number("code") or 0,
        bus_id=one.text("busId"),
        uuid=one.text("uuid"),
        at=read_time(one.text("at")),
        cleared_at=read_time(one.text("clearedAt")),
        by=one.text("clearedBy"),
    )


def _cuda(number: int | None) -> tuple[int, int] | None:
    """13020 is 13.2."""
    return None if not number or number < 0 else (number // 1000, number % 1000 // 10)


def _gpu(one: Fields, place: int) -> GpuReading:
    index = one.number("index")
    return GpuReading(
        index=place if index is None else index,
        uuid=one.text("uuid"),
        name=one.text("name"),
        serial=one.text("serial"),
        bus_id=one.text("pciInfo", "busId"),
        numa_node=one.number("numaNodeId"),
        memory_total_bytes=one.number("memoryInfo", "total"),
        memory_used_bytes=one.number("memoryInfo", "used"),
        memory_free_bytes=one.number("memoryInfo", "free"),
        memory_reserved_bytes=one.number("memoryInfo", "reserved"),
        utilization_gpu_percent=one.number("utilizationRates", "gpu"),
        utilization_memory_percent=one.number("utilizationRates", "memory"),
        temperature_celsius=one.number("temperature"),
        temperature_memory_celsius=one.number("memoryTemperature"),
        margin_celsius=one.number("marginTemperature"),
        power_milliwatts=one.number("powerUsage"),
        power_limit_milliwatts=one.number("enforcedPowerLimit"),
        power_limit_default_milliwatts=one.number("powerManagementDefaultLimit"),
        sm_clock_mhz=one.number("clockInfo", "sm"),
        sm_clock_max_mhz=one.number("maxClockInfo", "sm"),
        clock_event_reasons=one.number("currentClocksEventReasons"),
        ecc_enabled=_flag(one, "eccMode", "current"),
        ecc_pending=_flag(one, "eccMode", "pending"),
        ecc=_ecc(one.at("totalEccErrors")),
        sram_threshold_exceeded=_flag(one, "sramEccErrorStatus", "bThresholdExceeded"),
        unrepairable_memory=_flag(one, "unrepairableMemoryFlag"),
        retired_pages=one.number("retiredPages"),
        retired_pages_pending=_flag(one, "retiredPagesPendingStatus"),
        remapped_rows=_rows(one.at("remappedRows")),
        pcie_generation=one.number("currPcieLinkGeneration"),
        pcie_generation_max=one.number("maxPcieLinkGeneration"),
        pcie_width=one.number("currPcieLinkWidth"),
        pcie_width_max=one.number("maxPcieLinkWidth"),
        pcie_replays=one.number("pcieReplayCounter"),
        persistence_mode=_flag(one, "persistenceMode"),
        mig_enabled=_flag(one, "migMode", "currentMode"),
        mig_pending=_flag(one, "migMode", "pendingMode"),
        mig_devices=tuple(_slice(each) for each in one.each("migDevices")),
        nvlinks=_links(one),
        nvlink_errors=_counts(one.at("nvLinkErrorCounter")),
        fabric_state=one.number("gpuFabricInfo", "state"),
        fabric_status=one.number("gpuFabricInfo", "status"),
        fabric_health_mask=one.number("gpuFabricInfo", "healthMask"),
        recovery_action=one.number("gpuRecoveryAction"),
        processes=_processes(one),
        pods=one.texts("pods") if isinstance(one.get("pods"), list) else None,
        errors=_codes(one.at("errors")),
    )


def _counts(one: Fields) -> dict[str, int]:
    """Those that are not zero."""
    return {key: count for key in one.data if (count := one.number(key))}


def _codes(one: Fields) -> dict[str, int]:
    """Call → NVML's error code."""
    return {call: code for call in one.data if (code := one.number(call)) is not None}


def _flag(one: Fields, *path: str) -> bool | None:
    """NVML's 0 and 1, or JSON's false and true."""
    number = one.number(*path)
    if number is not None:
        return number != 0
    value = one.get(*path)
    return value if isinstance(value, bool) else None


def _ecc(one: Fields) -> EccCounts:
    return EccCounts(
        volatile_corrected=one.number("volatile", "corrected"),
        volatile_uncorrected=one.number("volatile", "uncorrected"),
        aggregate_corrected=one.number("aggregate", "corrected"),
        aggregate_uncorrected=one.number("aggregate", "uncorrected"),
    )


def _rows(one: Fields) -> RemappedRows:
    return RemappedRows(
        corrected=one.number("corrRows"),
        uncorrected=one.number("uncRows"),
        pending=_flag(one, "isPending"),
        failed=_flag(one, "failureOccurred"),
    )


def _slice(one: Fields) -> MigDevice:
    name = one.text("name")
    return MigDevice(
        uuid=one.text("uuid"),
        name=name,
        profile=name.rpartition(" MIG ")[2] if " MIG " in name else "",
        memory_total_bytes=one.number("memoryInfo", "total"),
        memory_used_bytes=one.number("memoryInfo", "used"),
        pod=one.text("pod"),
    )


def _links(one: Fields) -> tuple[bool, ...] | None:
    value = one.get("nvLinkState")
    if not isinstance(value, list) or not value:
        return None
    return tuple(bool(link) for link in value if isinstance(link, (bool, int)))


def _processes(one: Fields) -> tuple[Process, ...] | None:
    if not isinstance(one.get("computeRunningProcesses"), list):
        return None
    return tuple(
        Process(
            pid=each.number("pid") or 0,
            used_memory_bytes=each.number("usedGpuMemory"),
            name=each.text("name"),
            pod=each.text("pod"),
        )
        for each in one.each("computeRunningProcesses")
    )


def _xid(one: Fields) -> XidEvent:
    return XidEvent(
        code=one.number("code") or 0,
        bus_id=one.text("busId"),
        uuid=one.text("uuid"),
        at=read_time(one.text("at")),
        count=one.number("count") or 1,
        text=one.text("text"),
    )
