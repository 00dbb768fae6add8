"""PersistentVolumeClaims in every state, and the volumes that they are bound to."""

from tests.judge.making import disks
from tests.judge.making.nodes import DRIVER
from tests.judge.making.tables import ABROAD, HOST, ZONE, ZONES
from tests.judge.making.world import Object, World, labels, name_of

ONE_POD = "ReadWriteOncePod"
BOUND = {"bound": 3, "bound in zone": 4, "bound to hosts": 3, "bound to disk": 3, "one pod": 3}
UNBOUND = {
    "later": 3, "later-zoned": 2, "later-tracked": 2, "local": 2, "promised": 1, "chosen": 0.7, "now": 0.6, "classless": 0.3,
    "in-tree": 1, "lost": 0.3, "unmade": 0.3, "ending": 0.3,
}  # fmt: skip
"""States of a claim -> how often. Those that are not bound are mostly named by their class."""
CLASSES = {"promised": "later", "chosen": "later", "classless": "no-such-class"}


def claim_spec(storage_class: str, access: str) -> Object:
    return {
        "accessModes": [access],
        "resources": {"requests": {"storage": "10Gi"}},
        "storageClassName": storage_class,
        "volumeMode": "Filesystem",
    }


def add_claim(world: World, namespace: str, home: Object, state: str, name: str = "") -> str:
    """A claim with what its state brings along; its name, even where it does not exist."""
    name = name or world.name("pvc")
    world.volumes[namespace].append(name)
    if state != "unmade":
        make_claim(world, namespace, home, state, name)
    return name


def make_claim(world: World, namespace: str, home: Object, state: str, name: str) -> Object:
    draw = world.draw
    storage_class = CLASSES.get(state, state) if state in UNBOUND else "now"
    spec = claim_spec(storage_class, ONE_POD if state == "one pod" else "ReadWriteOnce")
    claim = world.add("v1", "PersistentVolumeClaim", name, namespace, spec=spec, status={"phase": "Pending"})
    if state == "chosen":
        node = name_of(home if draw.chance(0.7) else world.any_node())
        claim["metadata"]["annotations"] = {"volume.kubernetes.io/selected-node": node}
    elif state == "local":
        claim["spec"] |= draw.maybe(0.3, selector={"matchLabels": {"tier": "fast"}})
        for _ in range(draw.randint(0, 2)):
            _add_volume(world, None, world.any_node(), "local")
    elif state == "promised":
        _add_volume(world, claim, home, "bound in zone")["status"] = {"phase": "Available"}
    elif state in BOUND or state in ("lost", "ending"):
        _bind(world, claim, home, state)
    return claim


def _bind(world: World, claim: Object, home: Object, state: str) -> None:
    claim["spec"]["storageClassName"] = "now"
    volume = "pv-gone" if state == "lost" else name_of(_add_volume(world, claim, home, state))
    claim["spec"]["volumeName"] = volume
    claim["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    claim["status"] = {"phase": "Lost" if state == "lost" else "Bound", "capacity": {"storage": "10Gi"}}
    if state == "ending":
        claim["metadata"] |= {
            "deletionTimestamp": world.moment(),
            "deletionGracePeriodSeconds": 0,
            "finalizers": ["example.com/hold"],
        }


def _add_volume(world: World, claim: Object | None, home: Object, reach: str) -> Object:
    draw = world.draw
    name = world.name("pv")
    spec: Object = {
        "capacity": {"storage": draw.one(("10Gi", "20Gi") if claim else ("5Gi", "10Gi", "50Gi"))},
        "accessModes": claim["spec"]["accessModes"] if claim else ["ReadWriteOnce"],
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": claim["spec"]["storageClassName"] if claim else "local",
        "volumeMode": "Filesystem",
        **_kind(world, name, reach),
    }
    if claim:
        owner = {key: claim["metadata"][key] for key in ("namespace", "name", "uid")}
        spec["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **owner}
    volume = world.add("v1", "PersistentVolume", name, spec=spec, status={"phase": "Bound" if claim else "Available"})
    _limit(world, volume, home, reach)
    if draw.chance(0.15):
        disks.attach(world, volume)
    return volume


def _kind(world: World, name: str, reach: str) -> Object:
    if reach == "local":
        return {"local": {"path": f"/mnt/{name}"}}
    if reach == "bound to disk":
        return disks.source(world, world.draw.one(disks.MOVED), name)
    if reach == "bound to hosts" and world.draw.chance(0.5):
        return {"nfs": {"server": "nfs.example.com", "path": "/"}}
    return {"csi": {"driver": DRIVER, "volumeHandle": world.draw.one((name, name, "shared"))}}


def _limit(world: World, volume: Object, home: Object, reach: str) -> None:
    """From where the volume can be reached: by its node affinity, or by the zone on its label."""
    draw = world.draw
    zone = labels(home).get(ZONE, draw.one(ZONES))
    if reach == "local":
        volume["metadata"]["labels"] = {"tier": draw.one(("fast", "slow"))}
    if reach in ("local", "bound to hosts"):
        hosts = {labels(home).get(HOST, "nowhere")}
        if reach == "bound to hosts":
            hosts |= {name_of(world.any_node()), name_of(world.any_node())}
        _affinity(volume, HOST, sorted(hosts))
    elif reach in ("bound in zone", "bound to disk"):
        if draw.chance(0.7):
            key = draw.by_weight({ZONE: 4, "failure-domain.beta.kubernetes.io/zone": 2})
            volume["metadata"]["labels"] = {key: "__".join(sorted({zone, draw.one((*ZONES, ABROAD))}))}
        if draw.chance(0.4):
            _affinity(volume, ZONE, [zone])


def _affinity(volume: Object, key: str, values: list[str]) -> None:
    expressions = [{"key": key, "operator": "In", "values": values}]
    volume["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}
