"""Nodes: labels, resources, taints, conditions, and what their drivers of volumes can do."""

from typing import Any

from tests.judge.making import disks
from tests.judge.making.tables import (
    CONDITIONS,
    GIB,
    GPU,
    HOST,
    MACHINES,
    MIG,
    PRODUCT,
    TAINTS,
    ZONE,
    ZONES,
    Machine,
)  # fmt: skip
from tests.judge.making.world import Object, World

SIZES = (1, 2, 3, 4, 5, 6, 6, 8, 8, 10, 12, 15, 20, 30)
MIXTURE = {"gpu": (5, 4, 3, 3, 1, 1), "devices": (4, 2, 2, 1, 2, 1), "crowded": (2, 1, 2, 1, 1, 6)}
ORDINARY = (1, 1, 1, 1, 4, 4)
SYSTEM_CPU, SYSTEM_MEMORY = 250, 2 * GIB  # kept back for the node itself
FEATURE = "RestartAllContainersOnContainerExits"
DRIVER = "disk.example.com"


def add_nodes(world: World) -> None:
    for number in range(world.draw.one(SIZES)):
        _add_node(world, f"node-{number:02d}")


def _add_node(world: World, name: str) -> None:
    draw = world.draw
    kind = draw.by_weight(dict(zip(MACHINES, MIXTURE.get(world.mood, ORDINARY), strict=True)))
    machine = MACHINES[kind]
    extended = _extended(world, kind, machine)
    capacity, allocatable = _resources(world, machine, extended)
    wrong = draw.by_weight({one: 40 if one == "fine" else 1 for one in CONDITIONS})
    status = {
        "capacity": capacity,
        "allocatable": allocatable,
        "conditions": [{"type": "Ready", "status": _readiness(wrong), "reason": "Kubelet"}],
        **draw.maybe(0.7, declaredFeatures=[FEATURE]),
    }
    node = world.add("v1", "Node", name, spec=_spec(world, machine, wrong), status=status)
    node["metadata"]["labels"] = _labels(world, name, kind, machine)
    world.nodes.append(node)
    counted = {key: int(value) for key, value in extended.items() if value.isdigit()}
    world.free[name] = {
        "cpu": machine.cpus * 1000 - SYSTEM_CPU,
        "memory": machine.memory_gib * GIB - SYSTEM_MEMORY,
        **counted,
    }
    _add_csi_node(world, node)


def _labels(world: World, name: str, kind: str, machine: Machine) -> dict[str, str]:
    draw = world.draw
    zone = draw.one(ZONES)
    found = {
        HOST: name,
        ZONE: zone,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": draw.by_weight({"amd64": 6, "arm64": 1}),
        "node.kubernetes.io/instance-type": kind,
        "rack": f"r{draw.randint(0, 3)}",
        **draw.maybe(0.5, pool=draw.one(("train", "infer", "general"))),
        **draw.maybe(0.05, generation=draw.one(("3", "x", "12", "007"))),
        **{one.zone: zone for one in disks.MOVED.values() if one.zone and draw.chance(0.5)},
    }
    if machine.product:
        found |= {PRODUCT: machine.product, f"{GPU}.count": str(machine.gpus)}
        found[f"{GPU}.memory"] = str(machine.gpu_memory_mib)
    for key in (ZONE, HOST, PRODUCT, "rack"):
        if draw.chance(0.06):
            found.pop(key, None)
    return found


def _extended(world: World, kind: str, machine: Machine) -> dict[str, str]:
    """What is allocatable beside the basics."""
    draw = world.draw
    found: dict[str, str] = {}
    if kind == "sliced":
        found = {one: str(MIG[one] * draw.randint(1, 4)) for one in draw.some(list(MIG), 2)}
        found |= draw.maybe(0.5, **{GPU: "0"})
    elif machine.product and draw.chance(0.94):
        lost = draw.by_weight({0: 14, 1: 1, 2: 1, machine.gpus: 1})
        found[GPU] = str(machine.gpus - lost)
    for resource, share, amounts in (
        ("rdma/hca", 0.25, ("1", "2", "8", "1k")),
        ("example.com/fpga", 0.15, ("1", "2")),
        ("hugepages-2Mi", 0.15, ("512Mi", "4Gi", "0")),
        ("hugepages-1Gi", 0.1, ("8Gi",)),
    ):
        found |= draw.maybe(share, **{resource: draw.one(amounts)})
    return found


def _resources(world: World, machine: Machine, extended: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    memory = machine.memory_gib * GIB
    both = {"pods": world.draw.by_weight({"110": 20, "8": 3, "3": 2, "1": 1}), **extended}
    capacity = {"cpu": str(machine.cpus), "memory": f"{memory // 1024}Ki", "ephemeral-storage": "500Gi", **both}
    if GPU in extended:
        capacity[GPU] = str(machine.gpus)
    left = {"cpu": f"{machine.cpus * 1000 - SYSTEM_CPU}m", "memory": f"{(memory - SYSTEM_MEMORY) // 1024}Ki"}
    return capacity, {**left, "ephemeral-storage": "450Gi", **both}


def _readiness(wrong: str) -> str:
    return {"not ready": "False", "unreachable": "Unknown"}.get(wrong, "True")


def _spec(world: World, machine: Machine, wrong: str) -> Object:
    draw = world.draw
    taints: dict[tuple[str, str], str] = {}
    if machine.product and draw.chance(0.3):
        taints[GPU, "NoSchedule"] = "present"
    if draw.chance(0.12):
        key, value, effect = draw.one(TAINTS)
        taints[key, effect] = value
    for effect in CONDITIONS[wrong][1:]:
        taints[CONDITIONS[wrong][0], effect] = ""
    spec: dict[str, Any] = draw.maybe(0.05, unschedulable=True)
    if spec and draw.chance(0.8):  # the controller may be late
        taints["node.kubernetes.io/unschedulable", "NoSchedule"] = ""
    if taints:
        spec["taints"] = [{"key": key, "effect": effect, "value": value} for (key, effect), value in taints.items()]
    return spec


def _add_csi_node(world: World, node: Object) -> None:
    draw, name = world.draw, node["metadata"]["name"]
    if draw.chance(0.3):
        return
    names = [DRIVER, *(one.driver for one in disks.MOVED.values() if draw.chance(0.4))]
    drivers = [
        {
            "name": one,
            "nodeID": name,
            "topologyKeys": [ZONE],
            **draw.maybe(0.5, allocatable={"count": draw.one((0, 1, 2, 3, 25))}),
        }
        for one in names
    ]
    made = world.add("storage.k8s.io/v1", "CSINode", name, spec={"drivers": drivers})
    moved = [one.plugin for one in disks.MOVED.values() if draw.chance(0.7)]
    if moved:
        made["metadata"]["annotations"] = {"storage.alpha.kubernetes.io/migrated-plugins": ",".join(moved)}
