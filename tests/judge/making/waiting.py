"""Pods without a node. Each is made with a node in mind that could have it, and then gets wishes that may spoil that."""

from collections.abc import Callable

from tests.judge.making import claims, peers, places, volumes
from tests.judge.making.devices import API, RESOURCE
from tests.judge.making.pods import PORTS, add_pod, host_port
from tests.judge.making.tables import GIB, GPU, MIB
from tests.judge.making.world import Amounts, Object, World, name_of

Wish = Callable[[World, Object, Object], None]
RARE = {"rdma/hca": (0.025, (1, 1, 2)), "example.com/fpga": (0.02, (1,)), "example.com/none": (0.01, (1,))}
"""Extended resource -> how often it is asked for, and how many."""
DEVICE_RESOURCES = (RESOURCE, "deviceclass.resource.kubernetes.io/gpu")


def add_waiting(world: World) -> None:
    for _ in range(world.draw.randint(1, 12)):
        _add(world, world.any_node())


def _add(world: World, home: Object) -> None:
    draw = world.draw
    wants = _wants(world, world.free[name_of(home)])
    pod = add_pod(world, "wait", wants, (1, 2, 4, 2, 1))
    if draw.chance(0.85):
        places.tolerate(world, pod, home)
    for wish, share in _wishes(world).items():
        if draw.chance(share):
            wish(world, pod, home)
    volumes.name_ephemeral(world, pod, home)
    if set(wants) & set(DEVICE_RESOURCES) and draw.chance(0.15):
        _leave_over(world, pod)
    if draw.chance(0.01):
        pod["metadata"] |= {"deletionTimestamp": world.moment(), "deletionGracePeriodSeconds": 30}


def _wants(world: World, free: Amounts) -> Amounts:
    draw = world.draw
    wants: Amounts = {} if draw.chance(0.08) else _basics(world, free)
    mig = [one for node in world.free.values() for one in node if "/mig-" in one]
    if draw.chance({"gpu": 0.45, "crowded": 0.3}.get(world.mood, 0.05)):
        wants[GPU] = draw.by_weight({1: 6, 2: 3, 4: 3, 8: 2, 16: 0.3})
    elif mig and draw.chance(0.1):
        wants[draw.one(mig)] = draw.one((1, 1, 2, 7))
    for resource, (share, amounts) in RARE.items():
        wants |= draw.maybe(share, **{resource: draw.one(amounts)})
    wants |= draw.maybe(0.02, **{"hugepages-2Mi": draw.one((64, 256, 1024)) * MIB})
    wants |= draw.maybe(0.03, **{"ephemeral-storage": draw.one((10, 100, 460)) * GIB})
    if world.pools:
        wants |= draw.maybe(0.1, **{draw.one(DEVICE_RESOURCES): draw.one((1, 2))})
    return wants


def _basics(world: World, free: Amounts) -> Amounts:
    """Little, something, or about as much as the node has left."""
    draw = world.draw
    size = draw.by_weight({"small": 12, "middle": 2} if world.modest else {"small": 5, "middle": 3, "tight": 4})
    if size == "small":
        return {"cpu": draw.one((10, 50, 100, 250, 500, 1000)), "memory": draw.one((64, 128, 512, 1024)) * MIB}
    if size == "middle":
        return {"cpu": draw.one((1500, 2000, 3500, 8000)), "memory": draw.one((2, 6, 12, 40)) * GIB}
    scale = draw.one((0.6, 0.95, 1.0, 1.05, 1.5))
    memory = int(max(free["memory"], GIB) * draw.one((0.1, scale)))
    return {"cpu": int(max(free["cpu"], 200) * scale), "memory": memory // MIB * MIB}


def _wishes(world: World) -> dict[Wish, float]:
    """What a pod may want -> how often, which the mood of the cluster changes."""
    wishes: dict[Wish, float] = {
        places.select: 0.1, places.prefer: 0.15, _port: 0.06, peers.spread: 0.12, peers.near: 0.06, peers.apart: 0.1,
        volumes.mount: 0.08, _gate: 0.03, _restart_rules: 0.05,
    }  # fmt: skip
    few: dict[Wish, float] = {
        places.select: 0.05,
        places.prefer: 0.08,
        peers.near: 0.03,
        peers.spread: 0.05,
        peers.apart: 0.05,
    }
    moods: dict[str, dict[Wish, float]] = {
        "storage": {**few, volumes.mount: 0.7},
        "disks": {**few, volumes.mount: 0.7},
        "spread": {**few, peers.spread: 0.6, peers.near: 0.12, peers.apart: 0.25},
        "ports": {**few, _port: 0.7},
        "crowded": few,
    }
    wishes |= moods.get(world.mood, {})
    if world.pools:
        wishes[claims.ask] = 0.6 if world.mood == "devices" else 0.25
    return {**wishes, _nominate: 0.2 if world.mood == "crowded" else 0.04}


def _port(world: World, pod: Object, home: Object) -> None:
    del home
    host_port(world, pod, world.draw.one(PORTS))


def _gate(world: World, pod: Object, home: Object) -> None:
    del world, home
    pod["spec"]["schedulingGates"] = [{"name": "example.com/hold"}]


def _restart_rules(world: World, pod: Object, home: Object) -> None:
    """Needs a feature that nodes declare."""
    del world, home
    exits = {"operator": "In", "values": [42]}
    rules = [{"action": "RestartAllContainers", "exitCodes": exits}]
    pod["spec"]["restartPolicy"] = "Never"
    pod["spec"]["containers"][0] |= {"restartPolicy": "Never", "restartPolicyRules": rules}


def _nominate(world: World, pod: Object, home: Object) -> None:
    """Also pods that gates or missing claims keep out of the queue, which counts for nothing."""
    del world
    pod["status"]["nominatedNodeName"] = name_of(home)


def _leave_over(world: World, pod: Object) -> None:
    """The claim that an earlier attempt made for the pod's extended resources."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name_of(pod), "uid": pod["metadata"]["uid"], "controller": True}
    asked = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
    spec = {"devices": {"requests": [{"name": "container-0-request-0", "exactly": asked}]}}
    claim = world.add(API, "ResourceClaim", world.name("left"), pod["metadata"]["namespace"], spec=spec)
    claim["metadata"] |= {
        "ownerReferences": [owner],
        "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
    }
