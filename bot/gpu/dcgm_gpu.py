"""One GPU from the exporter's series of one time."""

from dataclasses import dataclass

from bot.domain.gpu_reading import EccCounts, GpuReading, RemappedRows

_MIB = 2**20
_FAILED = 4  # of FABRIC_MANAGER_STATUS: this and above are failures, below stands NVML's fabric state


@dataclass(frozen=True, slots=True)
class Series:
    """One line: `field` is DCGM's name before 4.6, without its prefix. `at` is in milliseconds."""

    field: str
    labels: dict[str, str]
    value: float
    at: int | None = None


def gpu_of(series: list[Series]) -> GpuReading:
    values = {one.field: one.value for one in series}
    labels = series[0].labels
    index = labels.get("gpu", "")
    pod = next((told for one in series if (told := _pod(one.labels))), "")

    def whole(field: str, times: float = 1) -> int | None:
        return None if (value := values.get(field)) is None else round(value * times)

    def flag(field: str) -> bool | None:
        return None if (value := values.get(field)) is None else value != 0

    used, free, reserved = (whole(field, _MIB) for field in ("FB_USED", "FB_FREE", "FB_RESERVED"))
    fabric = whole("FABRIC_MANAGER_STATUS")
    return GpuReading(
        index=int(index) if index.isascii() and index.isdigit() and len(index) < 5 else 0,
        uuid=labels.get("UUID") or labels.get("uuid", ""),
        name=labels.get("modelName", ""),
        bus_id=labels.get("pci_bus_id", ""),
        memory_used_bytes=used,
        memory_free_bytes=free,
        memory_reserved_bytes=reserved,
        memory_total_bytes=used + free + (reserved or 0) if used is not None and free is not None else None,
        utilization_gpu_percent=whole("GPU_UTIL"),
        utilization_memory_percent=whole("MEM_COPY_UTIL"),
        temperature_celsius=whole("GPU_TEMP"),
        temperature_memory_celsius=whole("MEMORY_TEMP"),
        margin_celsius=whole("GPU_TEMP_LIMIT"),
        power_milliwatts=whole("POWER_USAGE", 1000),
        power_limit_milliwatts=whole("ENFORCED_POWER_LIMIT", 1000),
        power_limit_default_milliwatts=whole("POWER_MGMT_LIMIT_DEF", 1000),
        sm_clock_mhz=whole("SM_CLOCK"),
        clock_event_reasons=whole("CLOCKS_EVENT_REASONS"),
        ecc=EccCounts(
            volatile_corrected=whole("ECC_SBE_VOL_TOTAL"),
            volatile_uncorrected=whole("ECC_DBE_VOL_TOTAL"),
            aggregate_corrected=whole("ECC_SBE_AGG_TOTAL"),
            aggregate_uncorrected=whole("ECC_DBE_AGG_TOTAL"),
        ),
        sram_threshold_exceeded=flag("THRESHOLD_SRM"),
        unrepairable_memory=flag("MEMORY_UNREPAIRABLE_FLAG"),
        retired_pages=_sum(whole("RETIRED_SBE"), whole("RETIRED_DBE")),
        retired_pages_pending=flag("RETIRED_PENDING"),
        remapped_rows=RemappedRows(
            corrected=whole("CORRECTABLE_REMAPPED_ROWS"),
            uncorrected=whole("UNCORRECTABLE_REMAPPED_ROWS"),
            pending=flag("ROW_REMAP_PENDING"),
            failed=flag("ROW_REMAP_FAILURE"),
        ),
        pcie_generation=whole("PCIE_LINK_GEN"),
        pcie_generation_max=whole("PCIE_MAX_LINK_GEN"),
        pcie_width=whole("PCIE_LINK_WIDTH"),
        pcie_width_max=whole("PCIE_MAX_LINK_WIDTH"),
        pcie_replays=whole("PCIE_REPLAY_COUNTER"),
        nvlink_errors={
            key: count
            for key, field in (
                ("crcFlit", "NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL"),
                ("crcData", "NVLINK_CRC_DATA_ERROR_COUNT_TOTAL"),
                ("replay", "NVLINK_REPLAY_ERROR_COUNT_TOTAL"),
                ("recovery", "NVLINK_RECOVERY_ERROR_COUNT_TOTAL"),
            )
            if (count := whole(field)) is not None
        },
        fabric_state=None if fabric is None else min(fabric, _FAILED - 1),
        fabric_status=fabric if fabric is not None and fabric >= _FAILED else None,
        fabric_health_mask=whole("FABRIC_HEALTH_MASK"),
        recovery_action=whole("GET_GPU_RECOVERY_ACTION"),
        pods=(pod,) if pod else None,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def _pod(labels: dict[str, str]) -> str:
    """`namespace/pod`. Prometheus renames them where a series came through it."""
    for prefix in ("exported_", "", "pod_"):
        pod, namespace = labels.get(f"{prefix}pod"), labels.get(f"{prefix}namespace")
        if prefix == "pod_":
            pod, namespace = labels.get("pod_name"), labels.get("pod_namespace")
        if pod and namespace:
            return f"{namespace}/{pod}"
    return ""
