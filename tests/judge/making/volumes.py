"""Volumes of pods: by claims, or disks that need none; and the classes and drivers behind them."""

from tests.judge.making import disks
from tests.judge.making.nodes import DRIVER
from tests.judge.making.tables import ZONE, ZONES
from tests.judge.making.volume_claims import BOUND, UNBOUND, add_claim, claim_spec, make_claim
from tests.judge.making.world import Object, World, name_of

TRACKED = "tracked.example.com"
"""A driver that tells how much it has left."""


def add_classes(world: World) -> None:
    """Storage classes, and how much the one that is tracked has left in each zone."""
    draw = world.draw
    zones = [{"key": ZONE, "values": draw.some(ZONES, 2)}]
    for name, provisioner, mode, more in (
        ("now", DRIVER, "Immediate", {}),
        ("later", DRIVER, "WaitForFirstConsumer", {}),
        ("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer", {}),
        (
            "later-zoned",
            "zoned.example.com",
            "WaitForFirstConsumer",
            {"allowedTopologies": [{"matchLabelExpressions": zones}]},
        ),
        ("later-tracked", TRACKED, "WaitForFirstConsumer", {}),
        ("in-tree", draw.one(disks.MOVED.values()).plugin, "WaitForFirstConsumer", {}),
    ):
        world.add(
            "storage.k8s.io/v1", "StorageClass", name, provisioner=provisioner, volumeBindingMode=mode, reclaimPolicy="Delete", **more
        )  # fmt: skip
    for driver in (DRIVER, TRACKED):
        world.add("storage.k8s.io/v1", "CSIDriver", driver, spec={"storageCapacity": driver == TRACKED})
    for zone in ZONES:
        if draw.chance(0.6):
            world.add(
                "storage.k8s.io/v1", "CSIStorageCapacity", f"left-{zone}", "default", storageClassName="later-tracked",
                nodeTopology={"matchLabels": {ZONE: zone}}, capacity=draw.one(("5Gi", "100Gi", "1Ti")),
            )  # fmt: skip


def mount(world: World, pod: Object, home: Object) -> None:
    for _ in range(world.draw.one((1, 1, 1, 2))):
        _add(pod, world, _source(world, pod, home))


def mount_running(world: World, pod: Object, home: Object) -> None:
    """Of a pod that got its volumes. No two of them share a claim that only one may use."""
    if world.draw.chance(0.4):
        _add(pod, world, disks.inline(world))
    else:
        claim = add_claim(world, pod["metadata"]["namespace"], home, world.draw.by_weight(BOUND))
        _add(pod, world, {"persistentVolumeClaim": {"claimName": claim}})


def _add(pod: Object, world: World, source: Object) -> None:
    pod["spec"].setdefault("volumes", []).append({"name": world.name("v"), **source})


def _source(world: World, pod: Object, home: Object) -> Object:
    draw, namespace = world.draw, pod["metadata"]["namespace"]
    kind = draw.by_weight({"claim": 6, "disk": 8 if world.mood == "disks" else 2, "ephemeral": 0.6})
    if kind == "disk":
        return disks.inline(world)
    if kind == "ephemeral":
        return {"ephemeral": {"volumeClaimTemplate": {"spec": claim_spec("later", "ReadWriteOnce")}}}
    if world.volumes[namespace] and draw.chance(0.4):
        return {"persistentVolumeClaim": {"claimName": draw.one(world.volumes[namespace])}}
    claim = add_claim(world, namespace, home, draw.by_weight({**BOUND, **UNBOUND}))
    return {"persistentVolumeClaim": {"claimName": claim}}


def name_ephemeral(world: World, pod: Object, home: Object) -> None:
    """The claims that a controller makes for ephemeral volumes, mostly; sometimes another one has the name."""
    for volume in pod["spec"].get("volumes", []):
        if "ephemeral" in volume and world.draw.chance(0.8):
            name, state = f"{name_of(pod)}-{volume['name']}", world.draw.one((*BOUND, "later", "now"))
            claim = make_claim(world, pod["metadata"]["namespace"], home, state, name)
            if world.draw.chance(0.85):
                owner = {"name": name_of(pod), "uid": pod["metadata"]["uid"], "controller": True}
                claim["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", **owner}]
