"""Pods that are on a node: most run, some have ended, some are ending, some are being resized."""

from tests.judge.making import claims, volumes
from tests.judge.making.peers import PREFERRED, REQUIRED, term
from tests.judge.making.pods import PORTS, add_pod, condition, host_port
from tests.judge.making.tables import APPS, GPU, MIB, NAMESPACES
from tests.judge.making.world import Amounts, Object, World, name_of

PER_NODE = (1, 2, 4, 6, 8, 12)
MOST = 150
FATES = {"Running": 30, "Pending": 2, "Succeeded": 2, "Failed": 2, "ending": 3}
RARE = ("rdma/hca", "example.com/fpga")


def add_running(world: World) -> None:
    draw = world.draw
    if draw.chance(0.06):
        return
    for _ in range(min(MOST, int(draw.one(PER_NODE) * len(world.nodes) * draw.uniform(0.3, 1.2)))):
        _add(world, world.any_node())


def _add(world: World, home: Object) -> None:
    draw = world.draw
    wants = _wants(world, name_of(home))
    pod = add_pod(world, "pod", wants, (5, 4, 2, 0.5, 0.5))
    pod["spec"]["nodeName"] = name_of(home) if draw.chance(0.995) else "node-gone"
    fate = draw.by_weight(FATES)
    pod["status"] = {"phase": "Running" if fate == "ending" else fate, "startTime": world.moment()}
    if fate == "ending":
        pod["metadata"] |= {"deletionTimestamp": world.moment(), "deletionGracePeriodSeconds": 30}
        pod["status"] |= draw.maybe(0.5, conditions=[condition("DisruptionTarget", "PreemptionByScheduler")])
    over = fate in ("Succeeded", "Failed")
    _with_port(world, pod, over)
    if draw.chance(0.25 if world.mood == "spread" else 0.06):
        _repel(world, pod)
    if draw.chance({"storage": 0.6, "disks": 0.6}.get(world.mood, 0.04)):
        volumes.mount_running(world, pod, home)
    if name_of(home) in world.pools and draw.chance(0.35):
        claims.hold(world, pod, home)
    if fate == "Running" and draw.chance(0.06):
        _resize(world, pod)
    if not over:
        for resource, amount in wants.items():
            world.free[name_of(home)][resource] -= amount
    world.running.append(pod)


def _wants(world: World, node: str) -> Amounts:
    draw, free = world.draw, world.free[node]
    wants: Amounts = {}
    if draw.chance(0.93):
        shares = (0.02, 0.05) if world.modest else (0.05, 0.1, 0.2, 0.4, 0.8)
        for resource, least in (("cpu", 10), ("memory", MIB)):
            wants[resource] = max(1, int(max(least, free[resource]) * draw.one(shares) * draw.random()))
    if free.get(GPU, 0) > 0 and draw.chance(0.2 if world.modest else 0.6):
        wants[GPU] = min(free[GPU], draw.one((1, 1, 2, 4, 8)))
    for resource in free:
        if (resource in RARE or "/mig-" in resource) and free[resource] > 0 and draw.chance(0.4):
            wants[resource] = 1
    return wants


def _with_port(world: World, pod: Object, over: bool) -> None:
    """No scheduler puts two pods with one port on a node; one that has ended has given its port back."""
    port = world.draw.one(PORTS)
    place = (pod["spec"]["nodeName"], port)
    if world.draw.chance(0.7 if world.mood == "ports" else 0.12) and (over or place not in world.ports):
        host_port(world, pod, port)
        if not over:
            world.ports.add(place)


def _repel(world: World, pod: Object) -> None:
    wanted = term(world, pod)
    if world.draw.chance(0.8):
        pod["spec"]["affinity"] = {"podAntiAffinity": {REQUIRED: [wanted]}}
    else:
        pod["spec"]["affinity"] = {"podAffinity": {PREFERRED: [{"weight": 5, "podAffinityTerm": wanted}]}}


def _resize(world: World, pod: Object) -> None:
    """The node still holds other requests for it than its spec has by now."""
    draw, container = world.draw, pod["spec"]["containers"][0]
    requests = container.get("resources", {}).get("requests", {})
    if "cpu" in requests:
        held = {key: value for key, value in requests.items() if key in ("cpu", "memory")} | {
            "cpu": draw.one(("50m", "2", "4"))
        }
        status = {
            "name": container["name"],
            "ready": True,
            "restartCount": 0,
            "image": container["image"],
            "imageID": "x",
        }
        pod["status"]["containerStatuses"] = [{**status, "allocatedResources": held, "resources": {"requests": held}}]
        pod["status"] |= draw.maybe(
            0.5, conditions=[condition("PodResizePending", draw.one(("Infeasible", "Deferred")))]
        )


def add_budgets(world: World) -> None:
    """Of disruptions, for some of the apps."""
    draw = world.draw
    for app in APPS:
        if draw.chance(0.2):
            allowed = draw.one((0, 0, 1))
            world.add(
                "policy/v1", "PodDisruptionBudget", f"budget-{app}", draw.one(NAMESPACES),
                spec={"maxUnavailable": allowed, "selector": {"matchLabels": {"app": app}}},
                status={
                    "disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 2 - allowed, "expectedPods": 2,
                    "observedGeneration": 1,
                },
            )  # fmt: skip
