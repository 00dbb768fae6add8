"""What a node's own driver says of its GPUs, whoever asked: the node agent, a folder's agent.json, DCGM.

None means not told: not supported by the product, not read, not understood. It is neither zero nor fine. Names follow
NVML's (docs.nvidia.com/deploy/nvml-api); amounts are in the units that their names say.
"""

from datetime import datetime
from enum import StrEnum

import msgspec

HANDLE = "handleByIndex"  # the call that everything else hangs on, as it stands in `errors`


class From(StrEnum):
    """Where a reading comes from, best first."""

    AGENT = "node agent"
    DCGM = "DCGM exporter"
    API = "Kubernetes API"


class Process(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One process on a GPU. `pid` is in the host's namespace; `pod` is `namespace/name` where that is known."""

    pid: int
    used_memory_bytes: int | None = None
    name: str = ""
    pod: str = ""


class MigDevice(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One slice of a GPU in MIG mode."""

    uuid: str
    name: str = ""
    profile: str = ""  # 1g.10gb
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = None
    pod: str = ""


class EccCounts(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Memory errors: volatile since the driver was loaded, aggregate over the card's life."""

    volatile_corrected: int | None = None
    volatile_uncorrected: int | None = None
    aggregate_corrected: int | None = None
    aggregate_uncorrected: int | None = None


class RemappedRows(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Rows of memory that spare ones stand in for."""

    corrected: int | None = None
    uncorrected: int | None = None
    pending: bool | None = None
    failed: bool | None = None


class GpuReading(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One GPU as NVML tells it. `errors`: call → NVML's error code, for what it could not tell."""

    index: int
    uuid: str = ""
    name: str = ""
    serial: str = ""
    bus_id: str = ""
    numa_node: int | None = None
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = None
    memory_free_bytes: int | None = None
    memory_reserved_bytes: int | None = None
    utilization_gpu_percent: int | None = None
    utilization_memory_percent: int | None = None
    temperature_celsius: int | None = None
    temperature_memory_celsius: int | None = None
    margin_celsius: int | None = None  # degrees left until it slows down
    power_milliwatts: int | None = None
    power_limit_milliwatts: int | None = None
    power_limit_default_milliwatts: int | None = None
    sm_clock_mhz: int | None = None
    sm_clock_max_mhz: int | None = None
    clock_event_reasons: int | None = None  # bits: 0x4 power cap, 0x20 and 0x40 heat, 0x80 power brake
    ecc_enabled: bool | None = None
    ecc_pending: bool | None = None
    ecc: EccCounts = EccCounts()
    sram_threshold_exceeded: bool | None = None
    unrepairable_memory: bool | None = None
    retired_pages: int | None = None
    retired_pages_pending: bool | None = None
    remapped_rows: RemappedRows = RemappedRows()
    pcie_generation: int | None = None
    pcie_generation_max: int | None = None
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    pcie_replays: int | None = None
    persistence_mode: bool | None = None
    mig_enabled: bool | None = None
    mig_pending: bool | None = None
    mig_devices: tuple[MigDevice, ...] = ()
    nvlinks: tuple[bool, ...] | None = None  # each link of the product: active or not; None: it has none
    nvlink_errors: dict[str, int] = {}
    fabric_state: int | None = None  # 0 not supported, 1 not started, 2 in progress, 3 completed
    fabric_status: int | None = None  # 0: well
    fabric_health_mask: int | None = None
    recovery_action: int | None = None  # 0: none needed
    processes: tuple[Process, ...] | None = None
    pods: tuple[str, ...] | None = None  # that the kubelet has given it to; None: nobody told
    errors: dict[str, int] = {}

    @property
    def lost(self) -> bool:
        """Gone from the bus (NVML error 15), or without a handle (999): one odd field alone loses no GPU."""
        return 15 in self.errors.values() or self.errors.get(HANDLE) == 999


class XidEvent(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An Xid that the driver reported, by NVML's event or the kernel log. `count`: how often since it was new."""

    code: int
    bus_id: str = ""
    uuid: str = ""
    at: datetime | None = None
    count: int = 1
    text: str = ""


class ClearedXid(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An Xid that is over: a reset of the GPU, or a driver that was loaded anew, ended it at `cleared_at`, by `by`."""

    code: int
    bus_id: str = ""
    uuid: str = ""
    at: datetime | None = None
    cleared_at: datetime | None = None
    by: str = ""


class NodeReading(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """All GPUs of one node at one time; `xids` are those that are open, `cleared` the last that are over.

    `trouble` says why there are no GPUs in it, or why it is old: the driver is not there, NVML hangs, the agent does
    not answer. `error` is NVML's code of the failed initialisation, where that is what failed.
    """

    node: str
    source: From = From.AGENT
    taken_at: datetime | None = None
    driver_version: str = ""
    cuda_version: tuple[int, int] | None = None
    nvml_version: str = ""
    agent_version: str = ""
    gpus: tuple[GpuReading, ...] = ()
    xids: tuple[XidEvent, ...] = ()
    cleared: tuple[ClearedXid, ...] = ()
    trouble: str = ""
    error: int | None = None

    def age_seconds(self, now: datetime) -> float | None:
        return None if self.taken_at is None else max(0.0, (now - self.taken_at).total_seconds())

    def gpu(self, uuid: str) -> GpuReading | None:
        return next((one for one in self.gpus if one.uuid == uuid), None)
