import pytest

from bot.local.cluster.simulator.gpu_labels import gpu_labels
from bot.local.cluster.simulator.machine import AdmissionError, new_machine
from bot.local.cluster.simulator.node_spec import NodeSpec
from bot.local.cluster.simulator.slices import resource_slice
from tests.local.cluster.simulator.helpers import GPU, a_gpu_node

MIXED = {"product": "NVIDIA-H100-80GB-HBM3", "gpus": 4, "strategy": "mixed", "mig": {"1g.10gb": 14, "3g.40gb": 4}}
SHARED = {"product": "Tesla-T4", "gpus": 4, "strategy": "time-slicing", "replicas": 4}


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        pytest.param(a_gpu_node(), {GPU: "8"}, id="whole GPUs"),
        pytest.param(
            a_gpu_node(**MIXED),
            {GPU: "0", "nvidia.com/mig-1g.10gb": "14", "nvidia.com/mig-3g.40gb": "4"},
            id="slices, and no whole GPU left",
        ),
        pytest.param(a_gpu_node(**SHARED), {GPU: "16"}, id="shares"),
        pytest.param(a_gpu_node(strategy="dra"), {}, id="claims need no resource"),
        pytest.param(a_gpu_node(plugin=False), {}, id="a plugin that never came up leaves no key"),
        pytest.param(NodeSpec(name="c", pool="c"), {}, id="no GPU"),
    ],
)
def test_what_a_machine_offers(node, expected):
    machine = new_machine(node)
    assert machine.capacity() == machine.allocatable() == expected


def test_a_lost_gpu_leaves_capacity_and_a_stopped_plugin_nothing():
    machine = new_machine(a_gpu_node())
    machine.devices[3].healthy = False
    assert (machine.capacity(), machine.allocatable()) == ({GPU: "8"}, {GPU: "7"})
    machine.plugin_running = False
    assert (machine.capacity(), machine.allocatable()) == ({GPU: "0"}, {GPU: "0"})


def test_a_lost_gpu_takes_its_slices_and_shares_along():
    mixed, shared = new_machine(a_gpu_node(**MIXED)), new_machine(a_gpu_node(**SHARED))
    assert [len(mixed.of_gpu(gpu)) for gpu in range(4)] == [7, 7, 2, 2]
    assert [len(shared.of_gpu(gpu)) for gpu in range(4)] == [4, 4, 4, 4]


def test_devices_are_handed_out_once_and_come_back():
    machine = new_machine(a_gpu_node())
    machine.devices[0].healthy = False
    machine.allocate("a", {GPU: 4})
    assert [device.gpu for device in machine.held("a")] == [1, 2, 3, 4]
    with pytest.raises(AdmissionError, match=r"unavailable for nvidia.com/gpu. Requested: 4, Available: 3"):
        machine.allocate("b", {GPU: 4})
    machine.release("a")
    machine.allocate("b", {GPU: 7})


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        pytest.param(
            a_gpu_node(),
            {
                "gpu.product": "NVIDIA-H200",
                "gpu.count": "8",
                "gpu.replicas": "1",
                "gpu.memory": "143771",
                "gpu.family": "hopper",
            },
            id="whole GPUs",
        ),
        pytest.param(
            a_gpu_node(**MIXED),
            {"mig.strategy": "mixed", "gpu.replicas": "0", "mig-1g.10gb.count": "14", "mig.config.state": "success"},
            id="slices",
        ),
        pytest.param(
            a_gpu_node(**SHARED),
            {"gpu.product": "Tesla-T4-SHARED", "gpu.replicas": "4", "gpu.sharing-strategy": "time-slicing"},
            id="shares",
        ),
        pytest.param(
            a_gpu_node(plugin=False),
            {"gpu.present": "true", "gpu.product": None, "gpu.deploy.device-plugin": "true"},
            id="without a driver only the operator's labels",
        ),
    ],
)
def test_labels(node, expected):
    labels = gpu_labels(node)
    assert {name: labels.get(f"nvidia.com/{name}") for name in expected} == expected


def test_a_resource_slice_leaves_out_what_is_lost():
    machine = new_machine(a_gpu_node(strategy="dra", gpus=4))
    machine.lost_gpus.add(2)
    spec = resource_slice(machine, 5)["spec"]
    assert [device["name"] for device in spec["devices"]] == ["gpu-0", "gpu-1", "gpu-3"]
    assert spec["pool"]["generation"] == 5
    assert spec["devices"][0]["attributes"]["driverVersion"]["version"] == "580.95.5", "no leading nought in SemVer"
