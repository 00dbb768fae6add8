"""DCGM exporter's text as readings: several times, old and new names, values that mean none."""

import random
from datetime import UTC, datetime

import pytest

from bot.domain.gpu_reading import From, GpuReading
from bot.gpu import dcgm

LABELS = 'gpu="3",UUID="GPU-abc",pci_bus_id="00000000:5D:00.0",device="nvidia3",modelName="NVIDIA H100 80GB HBM3"'
MORE = 'Hostname="gpu-a",DCGM_FI_DRIVER_VERSION="580.95.05",container="vllm",namespace="llm",pod="glm-1"'


def line(name: str, value: object, at: int | None = None, labels: str = f"{LABELS},{MORE}") -> str:
    return f"{name}{{{labels}}} {value}{'' if at is None else f' {at}'}\n"


def only(text: str) -> GpuReading:
    (gpu,) = dcgm.read(text, "gpu-a").reading.gpus
    return gpu


def test_who_the_gpu_is_and_who_holds_it() -> None:
    reading = dcgm.read(line("DCGM_FI_DEV_GPU_TEMP", 61), "gpu-a").reading
    (gpu,) = reading.gpus
    assert (reading.source, reading.driver_version, reading.taken_at) == (From.DCGM, "580.95.05", None)
    assert (gpu.index, gpu.uuid, gpu.name, gpu.bus_id) == (3, "GPU-abc", "NVIDIA H100 80GB HBM3", "00000000:5D:00.0")
    assert (gpu.temperature_celsius, gpu.pods) == (61, ("llm/glm-1",))


@pytest.mark.parametrize(
    ("name", "value", "field", "told"),
    [
        pytest.param("POWER_USAGE", "241.096", "power_milliwatts", 241_096, id="watts"),
        pytest.param("BOARD_POWER_WATTS", "241.096", "power_milliwatts", 241_096, id="watts since 4.6"),
        pytest.param("GPU_TEMP_CELSIUS", 61, "temperature_celsius", 61, id="a temperature since 4.6"),
        pytest.param("GPU_TEMP_LIMIT", -2, "margin_celsius", -2, id="a margin may be negative"),
        pytest.param("FB_USED", 100, "memory_used_bytes", 100 * 2**20, id="MiB"),
        pytest.param("CLOCK_THROTTLE_REASONS", 128, "clock_event_reasons", 128, id="reasons by their first name"),
        pytest.param("THRESHOLD_SRM", 1, "sram_threshold_exceeded", True, id="a flag"),
        pytest.param("PCIE_REPLAY_TOTAL", 7, "pcie_replays", 7, id="replays since 4.6"),
        pytest.param("FABRIC_MANAGER_STATUS", 4, "fabric_status", 4, id="the fabric failed"),
        pytest.param("GPU_TEMP", 9223372036854775794, "temperature_celsius", None, id="blank: not supported"),
        pytest.param("GPU_TEMP", 0x7FFFFFF0, "temperature_celsius", None, id="blank of 32 bits"),
        pytest.param("POWER_USAGE", "140737488355328.0", "power_milliwatts", None, id="blank of a float"),
        pytest.param("GPU_TEMP", "NaN", "temperature_celsius", None, id="no number"),
    ],
)
def test_a_metric(name: str, value: object, field: str, told: object) -> None:
    gpu = only(line("DCGM_FI_DEV_SM_CLOCK", 1980) + line(f"DCGM_FI_DEV_{name}", value))
    assert getattr(gpu, field) == told


@pytest.mark.parametrize("name", ["ROW_REMAP_FAILURE", "ROW_REMAP_FAILED"])
def test_a_failed_remap_by_both_names(name: str) -> None:
    assert only(line(f"DCGM_FI_DEV_{name}", 1)).remapped_rows.failed is True


def test_a_metric_that_is_switched_off_is_not_zero() -> None:
    gpu = only(line("DCGM_FI_DEV_GPU_TEMP", 61))
    assert gpu.ecc.volatile_uncorrected is None
    assert gpu.remapped_rows.failed is None


def test_each_time_is_a_reading_the_oldest_first() -> None:
    text = line("DCGM_FI_DEV_GPU_UTIL", 98, 1796039985000) + line("DCGM_FI_DEV_GPU_UTIL", 12, 1796039925000)
    told = dcgm.read(text, "gpu-a")
    assert [one.gpus[0].utilization_gpu_percent for one in told.readings] == [12, 98]
    assert told.reading.taken_at == datetime(2026, 11, 30, 11, 59, 45, tzinfo=UTC)


def test_a_code_that_the_gauge_came_to_hold_has_a_time_and_one_that_it_held_has_none() -> None:
    other = f"{LABELS.replace('GPU-abc', 'GPU-def').replace('3', '4')},{MORE}"
    text = (
        line("DCGM_FI_DEV_XID_ERRORS", 0, 1796039925000)
        + line("DCGM_FI_DEV_XID_ERRORS", 94, 1796039985000)
        + line("DCGM_FI_DEV_XID_ERRORS", 45, 1796039925000, other)
        + line("DCGM_FI_DEV_XID_ERRORS", 45, 1796039985000, other)
    )
    events = {one.code: one.at for one in dcgm.read(text, "gpu-a").reading.xids}
    assert events == {94: datetime(2026, 11, 30, 11, 59, 45, tzinfo=UTC), 45: None}


def test_pods_by_the_names_that_prometheus_gives_their_labels() -> None:
    labels = f'{LABELS},pod="dcgm-exporter-x",namespace="monitoring",exported_pod="glm-1",exported_namespace="llm"'
    assert only(line("DCGM_FI_DEV_GPU_TEMP", 61, labels=labels)).pods == ("llm/glm-1",)


def test_instances_of_a_cut_gpu_are_passed_over() -> None:
    cut = f'{LABELS},GPU_I_PROFILE="1g.10gb",GPU_I_ID="7",{MORE}'
    assert dcgm.read(line("DCGM_FI_DEV_FB_USED", 5, labels=cut), "gpu-a").readings == ()


def test_whatever_comes_is_read_or_passed_over() -> None:
    chance = random.Random(7)
    whole = line("DCGM_FI_DEV_GPU_TEMP", 61, 1796039985000) * 3
    for _ in range(300):
        cut = list(whole)
        for _ in range(chance.randrange(1, 20)):
            cut[chance.randrange(len(cut))] = chance.choice('{}"=,\n 9e\\\0é')
        assert dcgm.read("".join(cut), "gpu-a").node == "gpu-a"
    assert dcgm.read("", "gpu-a").reading.gpus == ()
    assert dcgm.read(line("DCGM_FI_DEV_GPU_TEMP", "1e308", 9999999999999999), "gpu-a").node == "gpu-a"
