"""Devices of claims: none published, none selected, or held, over all nodes and with those who hold them."""

import msgspec
import pytest

from bot.domain.dra import DeviceClass, DeviceRequest, ResourceClaim
from bot.domain.pod import Pod
from bot.domain.pod_spec import ClaimRef, PodSpec
from bot.why.finding import Finding
from bot.why.stages.placement import STAGE
from tests.factories import a_claim, a_cpu_node, a_slice
from tests.why.builders_fleet import a_waiting, case_of_pod
from tests.why.builders_owners import a_thing, words

NODES = (a_cpu_node("d1"), a_cpu_node("d2"))
GPUS = DeviceClass(name="gpu.nvidia.com", selectors=("device.driver == 'gpu.nvidia.com'",))
H200 = "device.attributes['gpu.nvidia.com'].productName.contains('H200')"


def wants(*selectors: str, device_class: str = "gpu.nvidia.com", count: int = 1) -> ResourceClaim:
    request = DeviceRequest("gpu", device_class, count=count, selectors=selectors)
    return msgspec.structs.replace(a_claim("mine"), requests=(request,))


def user() -> Pod:
    return a_waiting(gpus=0, spec=PodSpec(claims=(ClaimRef("gpu", claim="mine"),)))


def holds(name: str, node: str) -> ResourceClaim:
    return a_claim(name, (node, "gpu-0"), (node, "gpu-1"), pod=f"{name}-pod")


def told(*records: object) -> Finding:
    """There is one device class, that of NVIDIA's GPUs."""
    case = case_of_pod(user(), *records)
    case.view.put("deviceclasses", GPUS.name, GPUS)
    return next(iter(STAGE.judge(case)))


def test_all_devices_are_held_and_priority_does_not_help() -> None:
    finding = told(*NODES, a_slice("d1"), a_slice("d2"), wants(), holds("a", "d1"), holds("b", "d2"))
    assert "claim `llm/mine` wants 1 of class `gpu.nvidia.com` and none is free on d1 and d2" in finding.sentence
    assert "4 of the 4 devices that would do are held" in finding.sentence
    assert "Claim `llm/a`: 2 devices, for `a-pod`" in finding.evidence
    assert "Claim `llm/b`: 2 devices, for `b-pod`" in finding.evidence
    assert "DRA does not preempt" in finding.useless[0]


def test_too_few_on_one_node() -> None:
    finding = told(*NODES, a_slice("d1"), a_slice("d2"), wants(count=3))
    assert "at most 2 are free on one node" in finding.sentence


def test_a_selector_that_leaves_nothing_is_shown_with_what_is_there() -> None:
    finding = told(*NODES, a_slice("d1"), a_slice("d2"), wants(H200))
    assert "none of the 4 devices on d1 and d2 is what claim `llm/mine` selects" in finding.sentence
    assert "there are 4 × NVIDIA H100 80GB HBM3" in finding.sentence
    assert f"The claim selects: `{H200}`" in finding.evidence


def test_no_driver_publishes_anything() -> None:
    plugin = a_thing("DaemonSet", "dra-plugin", "nvidia", status={"desiredNumberScheduled": 0, "numberReady": 0})
    finding = told(*NODES, wants(), plugin)
    assert "publish no device that claim `llm/mine` could get (class `gpu.nvidia.com`)" in finding.sentence
    assert "There is no ResourceSlice at all" in words(finding)
    assert "`daemonset/dra-plugin` in nvidia wants 0 pods" in words(finding)


def test_other_drivers_publish() -> None:
    finding = told(*NODES, wants(), a_slice("d9", driver="nic.example.com"))
    assert "published by `nic.example.com`" in words(finding)


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        pytest.param(
            "gpu.nvidia.con", " (`gpu.nvidia.com` does: a typing mistake?)", id="a class that is nearly there"
        ),
        pytest.param("tpu", "", id="a class that is like none"),
    ],
)
def test_a_device_class_that_does_not_exist(wanted: str, hint: str) -> None:
    finding = told(*NODES, wants(device_class=wanted))
    assert finding.id == "references.no-device-class"
    assert finding.sentence == f"its claim `mine` asks for devices of class `{wanted}`, which does not exist{hint}"
    assert "DeviceClasses that exist: gpu.nvidia.com" in finding.evidence
