"""The ledger of Xids: each edge once, whoever tells it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.agent.resets import resets
from bot.agent.xids import OPEN_MAX, Edge, Source, Xids, short_bus

START = datetime(2026, 11, 30, 11, 0, tzinfo=UTC)
BUS, OTHER = "0000:3b:00", "0000:5e:00"
NVML_BUS = "00000000:3B:00.0"


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def test_new_then_repeated_with_a_count() -> None:
    xids = Xids()
    edges = [xids.note(13, BUS, at(minute), Source.KERNEL, text=f"text {minute}") for minute in range(3)]
    (one,) = xids.open()
    assert edges == [Edge.NEW, Edge.REPEATED, Edge.REPEATED]
    assert (one.code, one.bus, one.count, one.at, one.last, one.text) == (13, BUS, 3, at(0), at(2), "text 2")


def test_the_same_xid_from_both_sources_counts_once() -> None:
    xids = Xids()
    assert xids.note(79, BUS, at(0), Source.KERNEL, text="GPU has fallen off the bus") is Edge.NEW
    assert xids.note(79, NVML_BUS, at(0), Source.NVML, uuid="GPU-1") is None
    assert xids.note(79, BUS, at(1), Source.KERNEL) is Edge.REPEATED
    (one,) = xids.open()
    assert (one.count, one.uuid, one.text) == (2, "GPU-1", "GPU has fallen off the bus")


def test_another_number_or_gpu_is_another_xid() -> None:
    xids = Xids()
    for code, bus in ((48, BUS), (63, BUS), (48, OTHER)):
        assert xids.note(code, bus, at(0), Source.KERNEL) is Edge.NEW
    assert xids.note(48, BUS, at(0), Source.KERNEL, switch=True) is Edge.NEW
    assert [(one.code, one.bus) for one in xids.open()] == [(48, BUS), (63, BUS), (48, OTHER)]
    assert len(xids.open(switch=True)) == 1


def test_a_reset_clears_its_gpu_and_what_comes_later_is_new() -> None:
    xids = Xids()
    xids.note(48, BUS, at(0), Source.KERNEL)
    xids.note(48, OTHER, at(0), Source.KERNEL)
    cleared = xids.clear(at(5), "the GPU answers again", NVML_BUS)
    assert [(one.xid.bus, one.by, one.at) for one in cleared] == [(BUS, "the GPU answers again", at(5))]
    assert [one.bus for one in xids.open()] == [OTHER]
    assert xids.note(48, BUS, at(6), Source.KERNEL) is Edge.NEW
    assert list(xids.cleared) == cleared


def test_a_driver_that_is_loaded_again_clears_what_was_before_and_not_what_came_after() -> None:
    xids = Xids()
    xids.note(48, BUS, at(0), Source.KERNEL)
    xids.note(74, OTHER, at(9), Source.KERNEL)
    xids.clear(at(5), "the driver was loaded again")
    assert [one.code for one in xids.open()] == [74]


def test_a_log_full_of_made_up_gpus_takes_no_more_memory() -> None:
    xids = Xids()
    for number in range(2 * OPEN_MAX):
        xids.note(79, f"{number:04x}:00:00", at(0), Source.KERNEL, text="x" * 100_000)
    assert len(xids.open()) == OPEN_MAX
    assert len(xids.open()[0].text) == 400


@pytest.mark.parametrize(
    "bus",
    [
        pytest.param("00000000:3B:00.0", id="NVML's, with a domain of eight digits and a function"),
        pytest.param("0000:3b:00", id="the kernel log's"),
        pytest.param("0000:3B:00.0", id="a PCI address"),
    ],
)
def test_one_place_is_one_place(bus: str) -> None:
    assert short_bus(bus) == BUS


def gpu(**told: Any) -> dict[str, Any]:
    return {"index": 0, "pciInfo": {"busId": NVML_BUS}} | told


@pytest.mark.parametrize(
    ("before", "after", "sign"),
    [
        pytest.param(gpu(errors={"handleByIndex": 15}), gpu(), "the GPU answers again", id="it was lost and is back"),
        pytest.param(
            gpu(gpuRecoveryAction=1),
            gpu(gpuRecoveryAction=0),
            "the driver asks for no recovery any more",
            id="it needed a reset and does not now",
        ),
        pytest.param(
            gpu(remappedRows={"isPending": 1}),
            gpu(remappedRows={"isPending": 0}),
            "pending rows have been remapped",
            id="a remap is done, which takes a reset",
        ),
        pytest.param(gpu(gpuRecoveryAction=1), gpu(), None, id="what is not told any more is no sign"),
        pytest.param(gpu(gpuRecoveryAction=1), gpu(errors={"handleByIndex": 15}), None, id="it got worse"),
        pytest.param(
            gpu(gpuRecoveryAction=1),
            gpu(gpuRecoveryAction=0, errors={"powerUsage": 15}),
            None,
            id="it is lost, whatever it said before",
        ),
        pytest.param(gpu(), gpu(gpuRecoveryAction=1), None, id="it began"),
        pytest.param(gpu(), gpu(), None, id="nothing happened"),
        pytest.param(gpu(errors={"powerUsage": 999}), gpu(), None, id="another error went away"),
    ],
)
def test_signs_of_a_reset(before: dict[str, Any], after: dict[str, Any], sign: str | None) -> None:
    assert resets([before], [after]) == ({BUS: sign} if sign else {})


def test_another_gpu_in_the_same_slot_of_the_list_is_not_compared() -> None:
    other = gpu() | {"pciInfo": {"busId": "00000000:5E:00.0"}}
    assert resets([gpu(gpuRecoveryAction=1)], [other | {"gpuRecoveryAction": 0}]) == {}
