"""Claims on devices: what pods ask for, and what those that run were given."""

from tests.judge.making.devices import API, CLASSES, GPU_DRIVER, PRODUCTS
from tests.judge.making.pods import is_admin
from tests.judge.making.world import Object, World, name_of

TOLERATIONS = (
    {"operator": "Exists"},
    {"key": "example.com/xid", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "example.com/xid", "operator": "Equal", "value": "79"},
)
WAYS = {"own": 5, "of a template": 3, "shared": 2, "given already": 1.5, "not there": 0.3, "not made yet": 0.3}


def ask(world: World, pod: Object, home: Object) -> None:
    """A claim of the pod's, by one of the ways in which a pod comes to one."""
    draw, namespace = world.draw, pod["metadata"]["namespace"]
    way = draw.by_weight(WAYS)
    if way in ("of a template", "not made yet"):
        ref = {"name": "device", "resourceClaimTemplateName": "devices"}
        if way == "of a template":
            claim = add_claim(world, namespace, owner=pod if draw.chance(0.95) else home)
            pod["status"]["resourceClaimStatuses"] = [{"name": "device", "resourceClaimName": name_of(claim)}]
    elif way == "not there":
        ref = {"name": "device", "resourceClaimName": world.name("claim")}
    else:
        shared = world.claims[namespace] if way == "shared" else []
        claim = draw.one(shared) if shared else add_claim(world, namespace)
        if way == "given already":
            give(world, claim, draw.one(world.pools) if world.pools else "")
        ref = {"name": "device", "resourceClaimName": name_of(claim)}
        world.claims[namespace].append(claim)
    _use(pod, ref)


def hold(world: World, pod: Object, home: Object) -> None:
    """The claim of a pod that runs, if its node still has a device."""
    claim = add_claim(world, pod["metadata"]["namespace"])
    if give(world, claim, name_of(home)):
        user = {"resource": "pods", "name": name_of(pod), "uid": pod["metadata"]["uid"]}
        claim["status"]["reservedFor"] = [user]
        world.claims[pod["metadata"]["namespace"]].append(claim)
        _use(pod, {"name": "device", "resourceClaimName": name_of(claim)})


def _use(pod: Object, ref: Object) -> None:
    pod["spec"]["resourceClaims"] = [ref]
    pod["spec"]["containers"][0].setdefault("resources", {})["claims"] = [{"name": "device"}]


def add_claim(world: World, namespace: str, owner: Object | None = None) -> Object:
    draw = world.draw
    requests = [_request(world, f"r{number}") for number in range(draw.one((1, 1, 1, 2)))]
    spec: Object = {"devices": {"requests": requests}}
    if draw.chance(0.4 if len(requests) > 1 else 0.1):
        kind = draw.by_weight({"matchAttribute": 3, "distinctAttribute": 1})
        spec["devices"]["constraints"] = [{kind: f"{GPU_DRIVER}/{draw.one(('product', 'numa', 'index'))}"}]
    claim = world.add(API, "ResourceClaim", world.name("claim"), namespace, spec=spec)
    if owner:
        reference = {"apiVersion": "v1", "kind": owner["kind"], "name": name_of(owner), "uid": owner["metadata"]["uid"]}
        claim["metadata"]["ownerReferences"] = [{**reference, "controller": True}]
    if is_admin(claim) and draw.chance(0.5):
        for one in requests:
            if "exactly" in one:
                one["exactly"]["adminAccess"] = True
    return claim


def _request(world: World, name: str) -> Object:
    draw = world.draw
    if draw.chance(0.15):
        subs = [{"name": f"s{number}", **_asked(world)} for number in range(2)]
        return {"name": name, "firstAvailable": subs}
    return {"name": name, "exactly": _asked(world)}


def _asked(world: World) -> Object:
    draw = world.draw
    asked: Object = {
        "deviceClassName": draw.by_weight({**dict(zip(CLASSES, (10, 4, 2), strict=True)), "no-such-class": 0.4})
    }
    if asked["deviceClassName"] != "nic" and draw.chance(0.6):
        asked["selectors"] = [{"cel": {"expression": _expression(world)}} for _ in range(draw.one((1, 1, 2)))]
    if draw.chance(0.15):
        asked["allocationMode"] = "All"
    else:
        asked |= {"allocationMode": "ExactCount", "count": draw.one((1, 1, 1, 2, 2, 4, 8))}
    asked |= draw.maybe(0.25, tolerations=[dict(draw.one(TOLERATIONS))])
    wanted = {"memory": draw.one(("1Gi", "3Gi", "8Gi", "20Gi", "40Gi")), **draw.maybe(0.2, slots="3")}
    return asked | draw.maybe(0.2, capacity={"requests": wanted})


def _expression(world: World) -> str:
    draw = world.draw
    attributes, capacity = f"device.attributes['{GPU_DRIVER}']", f"device.capacity['{GPU_DRIVER}']"
    return draw.by_weight({
        f"{attributes}.product == '{draw.one(PRODUCTS)}'": 4,
        f"{attributes}.product in ['H100', 'H200']": 1,
        f"{attributes}.product.startsWith('H') && !({attributes}.index > 5)": 1,
        f"{capacity}.memory.compareTo(quantity('{draw.one(('20Gi', '80Gi', '100Gi'))}')) >= 0": 3,
        f"{attributes}.index < {draw.one((1, 2, 4))}": 2,
        f"{attributes}.driverVersion.isGreaterThan(semver('575.0.0'))": 1,
        f"'healthy' in {attributes} && {attributes}.healthy": 3,
        f"{attributes}.healthy": 0.3,  # an error where a device has no such attribute
        f"'part' in {attributes} ? {attributes}.part == '{draw.one(('whole', 'half', 'quarter'))}' : true": 2,
        f"{attributes}.exists(name, name == 'part')": 0.5,
        "device.allowMultipleAllocations == true": 1,
    })  # fmt: skip


# ---- what was given --------------------------------------------------------------------------------------------------


def give(world: World, claim: Object, pool: str) -> bool:
    """Give the claim one device of the pool, with its request made to fit; False where there is none left."""
    draw = world.draw
    admin = is_admin(claim) and draw.chance(0.5)
    devices = [one for one in world.pools.get(pool, ()) if admin or _is_free(world, pool, one)]
    if not devices:
        return False
    device = draw.one(devices)
    claim["spec"]["devices"] = {"requests": [{"name": "r0", "exactly": _fitting(admin)}]}
    result = {"request": "r0", "driver": GPU_DRIVER, "pool": pool, "device": device["name"]}
    if admin:
        result["adminAccess"] = True
    else:
        result |= _share(world, device)
        _take(world, pool, device)
    home = [{"key": "metadata.name", "operator": "In", "values": [pool]}]
    claim["status"] = {
        "allocation": {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [{"matchFields": home}]}}
    }
    return True


def _fitting(admin: bool) -> Object:
    asked: Object = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
    return asked | ({"adminAccess": True} if admin else {})


def _share(world: World, device: Object) -> Object:
    """A part of a device that others may use too."""
    if not device.get("allowMultipleAllocations"):
        return {}
    memory = world.draw.one(("4Gi", "8Gi"))
    amounts = {"memory": memory, **({"slots": "1"} if "slots" in device["capacity"] else {})}
    return {"shareID": f"{world.draw.getrandbits(32):08x}-0000-4000-8000-000000000000", "consumedCapacity": amounts}


def _is_free(world: World, pool: str, device: Object) -> bool:
    return (pool, device["name"]) not in world.taken


def _take(world: World, pool: str, device: Object) -> None:
    """A device that is cut from a board takes the parts of other sizes along; one that is shared may be taken again."""
    if device.get("allowMultipleAllocations") and world.draw.chance(0.6):
        return
    world.taken.add((pool, device["name"]))
    if "consumesCounters" in device:
        board, part = device["consumesCounters"][0]["counterSet"], device["attributes"]["part"]
        for other in world.pools[pool]:
            if other["consumesCounters"][0]["counterSet"] == board and other["attributes"]["part"] != part:
                world.taken.add((pool, other["name"]))
