"""Devices that drivers publish (dynamic resource allocation): classes, and pools of four makes.

A pool belongs to a node or to the network; its devices are whole, cut from one another (they share counters), or open to
several claims at once (each takes a part of their capacity).
"""

from tests.judge.making.tables import ZONE, ZONES
from tests.judge.making.world import Object, World, name_of

API = "resource.k8s.io/v1"
GPU_DRIVER, NIC_DRIVER = "gpu.example.com", "nic.example.com"
LARGE = f"device.capacity['{GPU_DRIVER}'].memory.compareTo(quantity('80Gi')) >= 0"
CLASSES = {
    "gpu": f"device.driver == '{GPU_DRIVER}'",
    "gpu-large": f"device.driver == '{GPU_DRIVER}' && {LARGE}",
    "nic": f"device.driver == '{NIC_DRIVER}'",
}
PRODUCTS = {"H100": "80Gi", "H200": "141Gi", "A10": "24Gi"}
PARTS = {1: "whole", 2: "half", 4: "quarter"}
RESOURCE = "example.com/dra-gpu"
"""The extended resource behind which devices of class gpu may stand."""


def add_devices(world: World) -> None:
    draw = world.draw
    for name, expression in CLASSES.items():
        spec: Object = {"selectors": [{"cel": {"expression": expression}}]}
        if name == "gpu":
            spec |= draw.maybe(0.4, extendedResourceName=RESOURCE)
        world.add(API, "DeviceClass", name, spec=spec)
    for node in world.nodes:
        if draw.chance(0.75):
            make = draw.by_weight({whole: 6, partitioned: 2, shareable: 2})
            make(world, name_of(node))
    if draw.chance(0.5):
        _add_nics(world)


def _add_pool(world: World, driver: str, name: str, slices: list[Object]) -> None:
    """Of some a slice has not been published yet; of some an older generation is still there, which no longer counts."""
    draw = world.draw
    generation = draw.by_weight({1: 20, 2: 1})
    pool = {"name": name, "generation": generation, "resourceSliceCount": len(slices) + draw.by_weight({0: 24, 1: 1})}
    old = [(one, pool | {"generation": 1}) for one in slices if generation > 1 and draw.chance(0.7)]
    for one, described in [*old, *((one, pool) for one in slices)]:
        world.add(API, "ResourceSlice", world.name("slice"), spec={"driver": driver, "pool": described, **one})


def _gpu(world: World, number: int, product: str) -> Object:
    draw = world.draw
    device: Object = {
        "name": f"gpu-{number}",
        "attributes": {
            "product": {"string": product},
            "index": {"int": number},
            "numa": {"int": number // 2},
            "driverVersion": {"version": draw.one(("570.1.0", "580.2.1"))},
            **draw.maybe(0.95, healthy={"bool": draw.chance(0.92)}),
        },
        "capacity": {"memory": {"value": PRODUCTS[product]}},
    }
    if draw.chance(0.1):
        effect = draw.one(("NoSchedule", "NoExecute", "None"))
        device["taints"] = [{"key": "example.com/xid", "value": "79", "effect": effect, "timeAdded": world.moment()}]
    if draw.chance(0.03):
        device |= {"bindingConditions": ["example.com/attached"], "bindingFailureConditions": ["example.com/broken"]}
    return device


def whole(world: World, node: str) -> None:
    product = world.draw.one(PRODUCTS)
    devices = [_gpu(world, number, product) for number in range(world.draw.one((1, 2, 4, 8)))]
    halves = len(devices) == 8 and world.draw.chance(0.3)
    slices = [devices[:4], devices[4:]] if halves else [devices]
    _add_pool(world, GPU_DRIVER, node, [{"nodeName": node, "devices": one} for one in slices])
    world.pools[node] = devices


def partitioned(world: World, node: str) -> None:
    """Boards that are given away as a whole or in parts; what a part takes is counted in memory and in slots."""
    draw = world.draw
    product = draw.one(("H100", "H200"))
    wide = world.is_open("wide search for devices")
    boards, cuts = draw.one(((1, (1, 2, 4)), (2, (1, 2, 4) if wide else (1, 2))))
    devices = [
        _part(world, board, product, cut, number) for board in range(boards) for cut in cuts for number in range(cut)
    ]
    counters = [
        {"name": f"board-{board}", "counters": {"memory": {"value": "80Gi"}, "slots": {"value": "4"}}}
        for board in range(boards)
    ]
    slices = [{"nodeName": node, "sharedCounters": counters}, {"nodeName": node, "devices": devices}]
    _add_pool(world, GPU_DRIVER, node, slices)
    world.pools[node] = devices


def _part(world: World, board: int, product: str, cut: int, number: int) -> Object:
    """One of `cut` equal parts of a board."""
    memory, slots = f"{80 // cut}Gi", str(4 // cut)
    used = {"memory": {"value": memory}, "slots": {"value": slots}}
    part = _gpu(world, board, product) | {"name": f"gpu-{board}-{PARTS[cut]}-{number}"}
    part["attributes"]["part"] = {"string": PARTS[cut]}
    part["capacity"] = {"memory": {"value": memory}}
    part["consumesCounters"] = [{"counterSet": f"board-{board}", "counters": used}]
    return part


def shareable(world: World, node: str) -> None:
    """Some of the GPUs are open to several claims, in portions that their policy allows."""
    draw = world.draw
    product = draw.one(PRODUCTS)
    devices = [_gpu(world, number, product) for number in range(draw.one((1, 2, 3)))]
    for device in devices:
        if draw.chance(0.8):
            device["allowMultipleAllocations"] = True
            device["capacity"]["memory"] |= draw.maybe(0.8, requestPolicy=_policy(world))
            device["capacity"] |= draw.maybe(0.5, slots={"value": draw.one(("2", "10"))})
    _add_pool(world, GPU_DRIVER, node, [{"nodeName": node, "devices": devices}])
    world.pools[node] = devices


def _policy(world: World) -> Object:
    return world.draw.one((
        {"default": "1Gi", "validRange": {"min": "1Gi"}},
        {"default": "2Gi", "validRange": {"min": "2Gi", "max": "20Gi", "step": "2Gi"}},
        {"default": "4Gi", "validValues": ["4Gi", "8Gi", "16Gi"]},
        {"default": "0", "validRange": {"min": "0", "max": "16Gi"}},
    ))  # fmt: skip


def _add_nics(world: World) -> None:
    """Adapters that more than one node reaches: all, those of a zone, or each adapter its own."""
    draw = world.draw
    devices: list[Object] = [
        {"name": f"nic-{number}", "attributes": {"rail": {"int": number}}} for number in range(draw.one((1, 2, 3)))
    ]
    zone = {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [draw.one(ZONES)]}]}]}
    where = draw.one(({"allNodes": True}, {"nodeSelector": zone}, {"perDeviceNodeSelection": True}))
    if "perDeviceNodeSelection" in where:
        for device in devices:
            device |= draw.one(({"allNodes": True}, {"nodeSelector": zone}, {"nodeName": name_of(world.any_node())}))
    _add_pool(world, NIC_DRIVER, "fabric", [{"devices": devices, **where}])
