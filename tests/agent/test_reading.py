"""What the worker reads, through the unmodified pynvml, from a driver that is well and from one that is not."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.agent import message
from bot.agent.message import Ask, Beat, Reading
from bot.agent.process import COMMAND
from bot.agent.state import Boot, State
from bot.domain.gpu_reading import GpuReading, NodeReading
from bot.gpu.reading import read
from tests.agent.stub import Stub
from tests.agent.watching import now


@dataclass(frozen=True, slots=True)
class Reader:
    """One worker for all tests: what its driver says is changed under it."""

    stub: Stub
    process: "subprocess.Popen[bytes]"

    def read(self, *lines: str) -> NodeReading:
        """As it is after a way over the wire."""
        assert self.process.stdin
        assert self.process.stdout
        self.stub.says(*lines)
        self.process.stdin.write(msgspec.json.encode(Ask(dear=True)) + b"\n")
        self.process.stdin.flush()
        while isinstance(said := message.read(self.process.stdout.readline()), Beat):
            continue
        assert isinstance(said, Reading), said
        state = State("gpu-a", Boot("", now()), now)
        state.take(said)
        return read(msgspec.json.encode(state.as_json()), "gpu-a")


@pytest.fixture(scope="module")
def reader(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    stub = Stub(library, tmp_path_factory.mktemp("reader") / "script")
    environment = os.environ | stub.environment | {message.PARENT: str(os.getpid()), message.BEAT: "60"}
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        yield Reader(stub, process)


def test_a_healthy_node_tells_everything_that_the_reading_has_room_for(reader: Reader) -> None:
    node = reader.read("value gpus * 2", "value temperature 1 66", "value memory_used 1 42")
    assert (node.driver_version, node.cuda_version, node.nvml_version) == ("580.95.05", (13, 0), "13.580.95.05")
    assert not node.trouble
    assert node.error is None
    assert [gpu.temperature_celsius for gpu in node.gpus] == [41, 66]
    assert node.gpus[1].memory_used_bytes == 42
    untold = {name for name in GpuReading.__struct_fields__ if getattr(node.gpus[0], name) is None}
    assert untold == {"pods"}, "nobody asked the kubelet here; everything else was told"
    assert node.gpus[0].errors == {}
    assert node.gpus[0].nvlink_errors == {}


def _is(**wanted: Any) -> Any:
    def check(gpu: GpuReading) -> bool:
        return all(getattr(gpu, name) == value for name, value in wanted.items())

    return check


@pytest.mark.parametrize(
    ("lines", "check"),
    [
        pytest.param(
            ["value ecc_uncorrected 1 5"], lambda gpu: gpu.ecc.volatile_uncorrected == 5, id="uncorrected ECC"
        ),
        pytest.param(
            ["value ecc_life_corrected 1 9"], lambda gpu: gpu.ecc.aggregate_corrected == 9, id="corrected ECC"
        ),
        pytest.param(["value rows_failed 1 1"], lambda gpu: gpu.remapped_rows.failed is True, id="remap failure"),
        pytest.param(["value rows_pending 1 1"], lambda gpu: gpu.remapped_rows.pending is True, id="remap pending"),
        pytest.param(["value recovery_action 1 2"], _is(recovery_action=2), id="the driver wants a reboot"),
        pytest.param(["value sram 1 1"], _is(sram_threshold_exceeded=True), id="SRAM threshold"),
        pytest.param(["value unrepairable 1 1"], _is(unrepairable_memory=True), id="memory beyond repair"),
        pytest.param(
            ["value retired_uncorrected 1 3", "value retired_corrected 1 4"],
            _is(retired_pages=7),
            id="retired pages of both causes",
        ),
        pytest.param(
            ["value links_down 1 2"],
            lambda gpu: gpu.nvlinks == (False, False) + (True,) * 16,
            id="two NVLinks are down",
        ),
        pytest.param(["value links 1 0"], _is(nvlinks=None), id="a product without NVLink"),
        pytest.param(["value replay 1 8"], _is(nvlink_errors={"replay": 8}), id="NVLink replays"),
        pytest.param(
            ["value fabric_state 1 2"],
            _is(fabric_state=2, fabric_status=0, fabric_health_mask=16682),
            id="the fabric is not up",
        ),
        pytest.param(["value pcie_width 1 8"], _is(pcie_width=8, pcie_width_max=16), id="half of the PCIe lanes"),
        pytest.param(["value reasons 1 64"], _is(clock_event_reasons=64), id="too hot"),
        pytest.param(["value margin 1 -5"], _is(margin_celsius=-5), id="a margin below zero"),
        pytest.param(
            ["value ecc_mode_pending 1 0"], _is(ecc_enabled=True, ecc_pending=False), id="ECC ends with the next reset"
        ),
        pytest.param(["value processes 1 0"], _is(processes=()), id="nothing runs on it"),
        pytest.param(
            ["value processes 1 3"],
            lambda gpu: [one.pid for one in gpu.processes] == [4242, 4243, 4244],
            id="three processes",
        ),
    ],
)
def test_a_sick_gpu_tells_so_and_its_neighbour_does_not(reader: Reader, lines: list[str], check: Any) -> None:
    neighbour, sick = reader.read("value gpus * 2", *lines).gpus
    assert check(sick)
    assert not check(neighbour)


def test_a_lost_gpu_keeps_its_place_and_the_others_their_values(reader: Reader) -> None:
    node = reader.read("value gpus * 3", "error 1 * 15")
    assert [gpu.lost for gpu in node.gpus] == [False, True, False]
    assert node.gpus[1].errors == {"handleByIndex": 15}
    assert node.gpus[2].power_milliwatts == 683028


def test_what_only_one_call_refuses_leaves_the_rest(reader: Reader) -> None:
    (gpu,) = reader.read("value gpus * 1", "error 0 nvmlDeviceGetSramEccErrorStatus 4", "error 0 field144 999").gpus
    assert gpu.errors == {"sramEccErrorStatus": 4, "remappedRows.isPending": 999}
    assert gpu.sram_threshold_exceeded is None
    assert gpu.remapped_rows.failed is False


@pytest.mark.parametrize(
    "code", [pytest.param(3, id="not supported"), pytest.param(13, id="a library from before the call")]
)
def test_what_a_product_does_not_have_is_not_told_and_no_error(reader: Reader, code: int) -> None:
    calls = "PowerUsage SramEccErrorStatus UnrepairableMemoryFlag_v1 NvLinkState MigMode FieldValues NumaNodeId".split()
    (gpu,) = reader.read("value gpus * 1", *(f"error 0 nvmlDeviceGet{call} {code}" for call in calls)).gpus
    assert (gpu.power_milliwatts, gpu.nvlinks, gpu.mig_enabled, gpu.recovery_action, gpu.numa_node) == (None,) * 5
    assert gpu.errors == {}


@pytest.mark.parametrize(
    ("newer", "value"),
    [
        pytest.param(
            "nvmlDeviceGetMemoryInfo_v2", _is(memory_used_bytes=1073741824, memory_reserved_bytes=None), id="memory"
        ),
        pytest.param("nvmlDeviceGetTemperatureV", _is(temperature_celsius=41), id="temperature"),
        pytest.param("nvmlDeviceGetCurrentClocksEventReasons", _is(clock_event_reasons=4), id="why clocks are low"),
    ],
)
def test_an_old_library_is_asked_by_older_names(reader: Reader, newer: str, value: Any) -> None:
    (gpu,) = reader.read("value gpus * 1", f"error * {newer} 13").gpus
    assert value(gpu)
    assert gpu.errors == {}


def test_a_cut_gpu_tells_its_slices_and_no_utilisation(reader: Reader) -> None:
    whole, cut = reader.read("value gpus * 2", "value mig 1 1", "value slices 1 3").gpus
    assert (whole.mig_enabled, whole.mig_devices) == (False, ())
    assert cut.mig_enabled
    assert cut.utilization_gpu_percent is None
    assert [one.profile for one in cut.mig_devices] == ["1g.18gb"] * 3
    assert cut.mig_devices[2].uuid == "MIG-00000000-0000-5000-8000-000001000002"
    assert cut.mig_devices[0].memory_total_bytes == 18874368000
    assert cut.errors == {}
