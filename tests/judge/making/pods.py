"""What all pods have: a name, labels, a namespace, a priority, containers, and for some a port of their host."""

from tests.judge.making.containers import SHAPES
from tests.judge.making.tables import ADMIN, APPS, NAMESPACES, PRIORITIES
from tests.judge.making.world import Amounts, Object, World

PORTS = (8080, 8081, 9000)


def add_pod(world: World, prefix: str, wants: Amounts, priorities: tuple[float, ...]) -> Object:
    """`priorities`: how often each class is drawn."""
    draw = world.draw
    spec = draw.by_weight(SHAPES)(world, wants)
    if draw.chance(0.6):
        spec["priorityClassName"] = draw.by_weight(dict(zip(PRIORITIES, priorities, strict=True)))
    crowd = world.mood == "spread"  # fewer apps and namespaces, so that more pods have to do with each other
    rare = 0.3 if world.pools else 0.1
    namespaces = dict(zip(NAMESPACES, (9, 1, 1, rare) if crowd else (3, 2, 1, rare), strict=True))
    pod = world.add("v1", "Pod", world.name(prefix), draw.by_weight(namespaces), spec=spec, status={"phase": "Pending"})
    pod["metadata"]["labels"] = {
        "app": draw.one(APPS[:2] if crowd else APPS),
        **draw.maybe(0.5, track=draw.one(("stable", "canary"))),
        **draw.maybe(0.5, **{"pod-template-hash": draw.one(("aa11", "bb22"))}),
    }
    return pod


def is_admin(pod: Object) -> bool:
    return bool(pod["metadata"]["namespace"] == ADMIN)


def host_port(world: World, pod: Object, port: int) -> None:
    draw = world.draw
    entry = {"containerPort": port, "hostPort": port, "protocol": draw.by_weight({"TCP": 4, "UDP": 1})}
    if draw.chance(0.3):
        pod["spec"]["hostNetwork"] = True
    else:
        entry |= draw.maybe(0.3, hostIP=draw.one(("127.0.0.1", "10.0.0.1", "0.0.0.0")))
    pod["spec"]["containers"][0]["ports"] = [entry]


def condition(kind: str, reason: str) -> Object:
    return {"type": kind, "status": "True", "reason": reason}
