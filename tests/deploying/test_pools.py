"""Which GPUs of a cluster a model can use, what is told of them, and why others cannot be used."""

from typing import Any

import pytest

from bot.deploying.pools import Pools, pools
from bot.domain.version import Version
from bot.gpu.inventory import Inventory
from tests.deploying.building import Object, a_cluster, gpu_node
from tests.factories import POLICY

FEATURES = {"nvidia.com/gpu.memory": "143771", "nvidia.com/gpu.compute.major": "9", "nvidia.com/gpu.compute.minor": "0"}
RDMA = {"rdma/hca_shared_devices_a": "63"}
CAPABLE = "feature.node.kubernetes.io/rdma.capable"


def found(*nodes: Object, only: str = "", unread: tuple[str, ...] = ()) -> Pools:
    view = a_cluster(*nodes, unread=unread)
    return pools(view, Inventory(view, POLICY), only)


# Nodes → what is said of the pool that they make.
TOLD: list[Any] = [
    pytest.param([gpu_node("g1"), gpu_node("g2")], {"nodes": ("g1", "g2"), "gpus_per_node": 8}, id="one product"),
    pytest.param([gpu_node("g1", gpus=4), gpu_node("g2")], {"gpus_per_node": 8}, id="the largest node counts"),
    pytest.param([gpu_node("g1")], {"memory_mib": 143_771, "capability": (9, 0), "nvlink": True}, id="by its name"),
    pytest.param(
        [gpu_node("g1", labels={"nvidia.com/gpu.memory": "140000"})], {"memory_mib": 140_000}, id="its label goes first"
    ),
    pytest.param(
        [gpu_node("g1", labels={"nvidia.com/gpu.memory": "lots"})],
        {"memory_mib": 143_771},
        id="a label that is rubbish",
    ),
    pytest.param(
        [gpu_node("g1", labels={"nvidia.com/gpu.compute.major": "9" * 5000, "nvidia.com/gpu.compute.minor": "0"})],
        {"capability": (9, 0)},
        id="a label that is endless",
    ),
    pytest.param(
        [gpu_node("g1", "NVIDIA-X900", labels=FEATURES)],
        {"memory_mib": 143_771, "capability": (9, 0), "nvlink": None},
        id="a product that nobody knows, by its labels",
    ),
    pytest.param([gpu_node("g1", "L40S")], {"nvlink": False}, id="cards without NVLink"),
    pytest.param(
        [gpu_node("g1"), gpu_node("g2", driver="570.172.08")],
        {"driver": Version(570, 172, 8)},
        id="the oldest driver counts",
    ),
    pytest.param([gpu_node("g1", driver="")], {"driver": None}, id="no driver is told"),
    pytest.param(
        [
            gpu_node(
                "g1", driver="", labels={"nvidia.com/cuda.driver.major": "550", "nvidia.com/cuda.driver.minor": "90"}
            )
        ],
        {"driver": Version(550, 90), "driver_label": "nvidia.com/cuda.driver.major"},
        id="the driver in its older labels",
    ),
    pytest.param([gpu_node("g1")], {"rdma_resource": "", "rdma_label": None}, id="nobody tells of RDMA"),
    pytest.param(
        [gpu_node(name, allocatable=RDMA) for name in ("g1", "g2")],
        {"rdma_resource": "rdma/hca_shared_devices_a"},
        id="RDMA that pods can ask for",
    ),
    pytest.param(
        [gpu_node("g1", allocatable=RDMA), gpu_node("g2")], {"rdma_resource": ""}, id="RDMA on some nodes is none"
    ),
    pytest.param([gpu_node("g1", labels={CAPABLE: "false"})], {"rdma_label": False}, id="said to have no RDMA"),
    pytest.param(
        [gpu_node("g1", labels={CAPABLE: "true"})],
        {"rdma_label": True, "rdma_resource": ""},
        id="said to have RDMA, which pods cannot ask for",
    ),
    pytest.param(
        [gpu_node("g1", taints=[{"key": "dedicated", "value": "train", "effect": "NoSchedule"}])],
        {"taints": ("nvidia.com/gpu",)},
        id="a taint that is meant for others is not tolerated",
    ),
    pytest.param(
        [gpu_node("g1"), gpu_node("g2", allocatable={"nvidia.com/mig-1g.18gb": "7"})],
        {"nodes": ("g1",)},
        id="a node that also offers slices is left out",
    ),
]


@pytest.mark.parametrize(("nodes", "wanted"), TOLD)
def test_what_is_told_of_a_pool(nodes: list[Object], wanted: dict[str, Any]) -> None:
    pool = next(one for one in found(*nodes).good if one.resource == "nvidia.com/gpu")
    assert {name: getattr(pool, name) for name in wanted} == wanted


def a_node_that_lost_all() -> Object:
    node = gpu_node("g1", gpus=0)
    node["status"]["capacity"] = {**node["status"]["capacity"], "nvidia.com/gpu": "8"}
    return node


# A node → why its GPUs cannot be used, and what would help.
REJECTED = [
    pytest.param(gpu_node("g1", "NVIDIA-H200-MIG-1g.18gb"), "no NVLink between them", "Switch its MIG", id="slices"),
    pytest.param(
        gpu_node("g1", labels={"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "time-slicing"}),
        "shared by time",
        "use another pool",
        id="shares of time",
    ),
    pytest.param(
        gpu_node("g1", labels={"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "mps"}),
        "hold others' memory too",
        "use another pool",
        id="shares by MPS",
    ),
    pytest.param(
        gpu_node("g1", allocatable={"nvidia.com/mig-1g.18gb": "7"}),
        "g1 also offers parts of its GPUs",
        "Switch its MIG",
        id="whole ones and slices",
    ),
    pytest.param(gpu_node("g1", "NVIDIA-X900"), "tell its memory", "GPU feature discovery", id="nobody knows it"),
    pytest.param(a_node_that_lost_all(), "offer no GPU now", "/gpu preflight", id="a node that has lost all of them"),
    pytest.param(
        gpu_node("g1", gpus=0), "g1 is labelled so and offers none", "/gpu preflight", id="a node that never had any"
    ),
]


@pytest.mark.parametrize(("node", "reason", "remedy"), REJECTED)
def test_why_gpus_cannot_be_used(node: Object, reason: str, remedy: str) -> None:
    there = found(node)
    assert there.good == ()
    assert any(reason in one.reason and remedy in one.remedy for one in there.rejected), there.rejected


def test_the_largest_gpus_come_first() -> None:
    there = found(gpu_node("l1", "L40S"), gpu_node("b1", "B200"), gpu_node("h1", "H100"), gpu_node("g1"))
    assert [one.product for one in there.good] == ["B200", "H200", "H100-80GB-HBM3", "L40S"]


def test_a_node_pool_that_was_asked_for_is_one_of_its_own() -> None:
    label = POLICY.pool_labels[0]
    nodes = [gpu_node(name, labels={label: pool}) for name, pool in (("g1", "serving"), ("g2", "training"))]
    (one,) = found(*nodes, only="serv").good
    assert (one.name, one.nodes, one.pool_label) == ("serving", ("g1",), label)
    assert one.title == "H200 of pool serving"
    assert found(*nodes, only="nothing").good == ()


@pytest.mark.parametrize("kind", ["nodes", "pods"])
def test_what_could_not_be_read_is_said(kind: str) -> None:
    (told,) = found(gpu_node("g1"), unread=(kind,)).unknown
    assert told.startswith(f"{kind} could not be read")


def test_nodes_with_an_older_driver_can_be_left_out_one_major_version_after_the_other() -> None:
    drivers = {"g1": "470.82.01", "g2": "550.90.07", "g3": "580.95.05"}
    major = "nvidia.com/cuda.driver-version.major"
    nodes = [gpu_node(name, driver=one, labels={major: one[:3]}) for name, one in drivers.items()]
    (pool,) = found(*nodes).good
    newer = pool.newer()
    assert newer is not None
    assert (newer.nodes, newer.driver_above, newer.driver_label) == (("g2", "g3"), 470, major)
    newest = newer.newer()
    assert newest is not None
    assert (newest.nodes, newest.driver_above) == (("g3",), 550)
    assert newest.newer() is None


def test_without_a_label_of_the_driver_nothing_keeps_pods_off() -> None:
    (pool,) = found(gpu_node("g1", driver="470.82.01"), gpu_node("g2")).good
    assert pool.on_driver(Version(470, 82, 1)) == ("g1",)
    assert pool.newer() is None
