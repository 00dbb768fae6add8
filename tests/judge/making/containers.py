"""Containers that ask for something, in all the ways in which people write that down."""

from tests.judge.making.tables import GIB, MIB
from tests.judge.making.world import Amounts, Object, World

STYLES = {"both": 5, "requests": 4, "limits": 2, "memory limited": 1}


def text(world: World, resource: str, amount: int) -> str:
    """The same amount may be written in several ways."""
    draw = world.draw
    if resource == "cpu":
        whole = [str(amount // 1000)] if amount % 1000 == 0 else [f"{amount / 1000:g}"] if amount < 100_000 else []
        return draw.one([f"{amount}m", *whole])
    if not is_bytes(resource):
        return str(amount)
    ways = [str(amount)] if amount % MIB else [f"{amount // MIB}Mi", f"{amount // 1024}Ki"]
    if amount % GIB == 0:
        ways.append(f"{amount // GIB}Gi")
    return draw.one(ways)


def is_bytes(resource: str) -> bool:
    return resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages")


def is_rigid(resource: str) -> bool:
    """Those of which a request is never lower than its limit."""
    return "/" in resource or resource.startswith("hugepages")


def container(world: World, wants: Amounts, style: str = "") -> Object:
    draw = world.draw
    style = style or draw.by_weight(STYLES)
    requests: dict[str, str] = {}
    limits: dict[str, str] = {}
    for resource, amount in wants.items():
        if amount <= 0:
            continue
        written = text(world, resource, amount)
        if is_rigid(resource):
            limits[resource] = written
            requests |= draw.maybe(0.5, **{resource: written})
        elif style == "limits" or (style == "memory limited" and resource == "memory"):
            limits[resource] = written
        else:
            requests[resource] = written
            limits |= {resource: written} if style == "both" else {}
    if any(one.startswith("hugepages") for one in limits) and not {"cpu", "memory"} & {*requests, *limits}:
        requests["cpu"] = "10m"  # huge pages alone are refused
    resources = {key: value for key, value in (("requests", requests), ("limits", limits)) if value}
    return {"name": world.name("c"), "image": "example.com/app:1", **({"resources": resources} if resources else {})}


# ---- how a pod's wants spread over its containers ------------------------------------------------------------------


def plain(world: World, wants: Amounts) -> Object:
    return {"containers": [container(world, wants)]}


def two(world: World, wants: Amounts) -> Object:
    share = world.draw.uniform(0.2, 0.8)
    first = {key: value if is_rigid(key) else int(value * share) for key, value in wants.items()}
    second = {key: value - first[key] for key, value in wants.items()}
    return {"containers": [container(world, first), container(world, second)]}


def with_sidecar(world: World, wants: Amounts) -> Object:
    spec = plain(world, wants)
    sidecar = container(world, _part(world, wants, 0.05, 0.5)) | {"restartPolicy": "Always"}
    spec["initContainers"] = [sidecar]
    if world.draw.chance(0.4):
        spec["initContainers"].append(container(world, _part(world, wants, 0.5, 1.3)))
    return spec


def with_init(world: World, wants: Amounts) -> Object:
    before = _part(world, wants, 0.5, 1.5)
    before |= {key: max(1, value + world.draw.randint(-1, 1)) for key, value in wants.items() if "/" in key}
    return {**plain(world, wants), "initContainers": [container(world, before)]}


def with_overhead(world: World, wants: Amounts) -> Object:
    return {**plain(world, wants), "runtimeClassName": "sandboxed", "overhead": {"cpu": "100m", "memory": "64Mi"}}


def for_the_pod(world: World, wants: Amounts) -> Object:
    """Requests of the pod as a whole; its container asks for less of it."""
    whole = {key: text(world, key, wants[key]) for key in ("cpu", "memory") if wants.get(key)}
    inner = {key: value for key, value in wants.items() if is_rigid(key)} | {"cpu": wants.get("cpu", 0) // 2}
    spec: Object = {"containers": [container(world, inner, "requests")]}
    return {**spec, "resources": {world.draw.one(("requests", "limits")): whole}} if whole else spec


def _part(world: World, wants: Amounts, least: float, most: float) -> Amounts:
    share = world.draw.uniform(least, most)
    return {key: max(1, int(wants[key] * share)) for key in ("cpu", "memory") if wants.get(key)}


SHAPES = {plain: 8, two: 3, with_sidecar: 3, with_init: 3, with_overhead: 1.5, for_the_pod: 2}
