"""The reading as Prometheus metrics: `gpubot_gpu_…` of each GPU, `gpubot_node_…` of the node.

An old reading's GPUs have no samples: a number from before the driver hung must not look like one of now.
"""

from collections.abc import Callable

from bot.agent.metric import Family
from bot.domain.gpu_reading import GpuReading, NodeReading

Value = float | None
Gauge = tuple[str, str, Callable[[GpuReading], Value]]

GAUGES: tuple[Gauge, ...] = (
    ("memory_total_bytes", "Memory of the GPU.", lambda gpu: gpu.memory_total_bytes),
    ("memory_used_bytes", "Memory in use.", lambda gpu: gpu.memory_used_bytes),
    ("memory_reserved_bytes", "Memory that the driver keeps.", lambda gpu: gpu.memory_reserved_bytes),
    ("utilization_percent", "Share of time in which a kernel ran.", lambda gpu: gpu.utilization_gpu_percent),
    ("temperature_celsius", "Temperature of the GPU.", lambda gpu: gpu.temperature_celsius),
    ("memory_temperature_celsius", "Temperature of its memory.", lambda gpu: gpu.temperature_memory_celsius),
    ("thermal_margin_celsius", "Degrees left until it slows down.", lambda gpu: gpu.margin_celsius),
    ("power_watts", "Power drawn.", lambda gpu: _thousandth(gpu.power_milliwatts)),
    ("power_limit_watts", "Power limit in force.", lambda gpu: _thousandth(gpu.power_limit_milliwatts)),
    ("sm_clock_mhz", "Clock of the multiprocessors.", lambda gpu: gpu.sm_clock_mhz),
    ("clock_event_reasons", "Bits of why clocks are low, as NVML numbers them.", lambda gpu: gpu.clock_event_reasons),
    ("remapped_rows_pending", "1: a remap waits for a reset.", lambda gpu: gpu.remapped_rows.pending),
    ("remapped_rows_failed", "1: a row could not be remapped.", lambda gpu: gpu.remapped_rows.failed),
    ("sram_threshold_exceeded", "1: too many errors in its SRAM.", lambda gpu: gpu.sram_threshold_exceeded),
    ("memory_unrepairable", "1: its memory cannot be repaired.", lambda gpu: gpu.unrepairable_memory),
    ("retired_pages", "Pages of memory that were retired.", lambda gpu: gpu.retired_pages),
    ("pcie_width", "Lanes of PCIe in use.", lambda gpu: gpu.pcie_width),
    ("pcie_width_max", "Lanes of PCIe that both sides could use.", lambda gpu: gpu.pcie_width_max),
    ("pcie_generation", "Generation of PCIe in use.", lambda gpu: gpu.pcie_generation),
    ("nvlinks_active", "NVLinks that are up.", lambda gpu: None if gpu.nvlinks is None else sum(gpu.nvlinks)),
    ("nvlinks", "NVLinks that the product has.", lambda gpu: None if gpu.nvlinks is None else len(gpu.nvlinks)),
    ("fabric_state", "0 none, 1 not started, 2 in progress, 3 completed.", lambda gpu: gpu.fabric_state),
    ("recovery_action", "What the driver asks for, as NVML numbers it; 0: nothing.", lambda gpu: gpu.recovery_action),
    ("processes", "Processes on it.", lambda gpu: None if gpu.processes is None else len(gpu.processes)),
)


def families(node: NodeReading, age_seconds: float | None, fresh_seconds: float) -> list[Family]:
    """`fresh_seconds`: how old a reading may be and still be told."""
    fresh = node.gpus if age_seconds is not None and age_seconds <= fresh_seconds else ()
    found = [*_node(node, age_seconds), _about(fresh), _pods(fresh), _lost(fresh), *_counters(fresh)]
    for name, about, value in GAUGES:
        family = Family(f"gpubot_gpu_{name}", about)
        for gpu in fresh:
            family.add(value(gpu), _which(gpu))
        found.append(family)
    return found


def _node(node: NodeReading, age_seconds: float | None) -> list[Family]:
    info = Family("gpubot_node_info", "Versions of agent, driver and NVML; the value is 1.")
    info.add(1, {"agent": node.agent_version, "driver": node.driver_version, "nvml": node.nvml_version})
    age = Family("gpubot_node_reading_age_seconds", "Age of the last good reading.")
    age.add(age_seconds)
    answers = Family("gpubot_node_nvml_answers", "1: NVML answers; 0: it does not, or not any more.")
    answers.add(0 if node.trouble else 1)
    error = Family("gpubot_node_nvml_error", "NVML's error code where it cannot start.")
    error.add(node.error)
    count = Family("gpubot_node_gpus", "GPUs in the last good reading, lost ones included.")
    count.add(len(node.gpus) if age_seconds is not None else None)
    xids = Family("gpubot_gpu_xid_events", "Xids since boot or reset, by number.")
    for one in node.xids:
        xids.add(one.count, {"pci_bus_id": one.bus_id, "uuid": one.uuid, "xid": str(one.code)})
    return [info, age, answers, error, count, xids]


def _about(gpus: tuple[GpuReading, ...]) -> Family:
    family = Family("gpubot_gpu_info", "Which GPU an index is; the value is 1.")
    for gpu in gpus:
        family.add(1, _which(gpu) | {"pci_bus_id": gpu.bus_id, "product": gpu.name, "serial": gpu.serial})
    return family


def _pods(gpus: tuple[GpuReading, ...]) -> Family:
    family = Family("gpubot_gpu_pod", "Which pod has it, by the kubelet; the value is 1.")
    for gpu in gpus:
        for pod in gpu.pods or ():
            namespace, _, name = pod.partition("/")
            family.add(1, _which(gpu) | {"namespace": namespace, "pod": name})
    return family


def _lost(gpus: tuple[GpuReading, ...]) -> Family:
    family = Family("gpubot_gpu_lost", "1: gone from the bus, or not answering.")
    for gpu in gpus:
        family.add(gpu.lost, _which(gpu))
    return family


def _counters(gpus: tuple[GpuReading, ...]) -> list[Family]:
    ecc = Family("gpubot_gpu_ecc_errors_total", "Memory errors since the driver was loaded.", "counter")
    rows = Family("gpubot_gpu_remapped_rows_total", "Rows of memory that spare ones stand in for.", "counter")
    replays = Family("gpubot_gpu_pcie_replays_total", "Packets that PCIe sent again.", "counter")
    links = Family("gpubot_gpu_nvlink_errors_total", "Errors of its NVLinks.", "counter")
    for gpu in gpus:
        which = _which(gpu)
        ecc.add(gpu.ecc.volatile_corrected, which | {"kind": "corrected"})
        ecc.add(gpu.ecc.volatile_uncorrected, which | {"kind": "uncorrected"})
        rows.add(gpu.remapped_rows.corrected, which | {"kind": "corrected"})
        rows.add(gpu.remapped_rows.uncorrected, which | {"kind": "uncorrected"})
        replays.add(gpu.pcie_replays, which)
        for kind, count in gpu.nvlink_errors.items():
            links.add(count, which | {"kind": kind})
    return [ecc, rows, replays, links]


def _which(gpu: GpuReading) -> dict[str, str]:
    return {"gpu": str(gpu.index), "uuid": gpu.uuid}


def _thousandth(value: int | None) -> Value:
    return None if value is None else value / 1000
