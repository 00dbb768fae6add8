"""Random clusters, one for each seed: every object is one that an API server accepts.

Most of what decides over pods is in them: resources, GPUs and MIG devices, taints, labels, affinity, spread, ports, volumes
in all states, devices that are whole, cut up or shared, priorities, budgets, nominations, pods that end.
"""

from tests.judge.making import devices, nodes, running, volumes, waiting
from tests.judge.making.draw import Draw
from tests.judge.making.tables import NAMESPACES, POLITE, PRIORITIES
from tests.judge.making.world import MOODS, Object, World


def cluster(seed: int, open_questions: frozenset[str] = frozenset()) -> list[Object]:
    """The objects, as somebody would create them: without the defaults and the rest that an API server adds."""
    draw = Draw(seed)
    world = World(draw, draw.by_weight(MOODS), modest=draw.chance(0.35), open=open_questions)
    _add_basics(world)
    volumes.add_classes(world)
    nodes.add_nodes(world)
    if draw.chance(1 if world.mood == "devices" else 0.2):
        devices.add_devices(world)
    running.add_running(world)
    waiting.add_waiting(world)
    running.add_budgets(world)
    if draw.chance(0.004):  # all machines are gone
        return [one for one in world.items if one["kind"] != "Node"]
    return world.items


def _add_basics(world: World) -> None:
    for name, more in NAMESPACES.items():
        world.add("v1", "Namespace", name)["metadata"]["labels"] = {"kubernetes.io/metadata.name": name, **more}
    for name, value in PRIORITIES.items():
        policy = {"preemptionPolicy": "Never"} if name == POLITE else {}
        world.add("scheduling.k8s.io/v1", "PriorityClass", name, value=value, **policy)
    overhead = {"podFixed": {"cpu": "100m", "memory": "64Mi"}}
    world.add("node.k8s.io/v1", "RuntimeClass", "sandboxed", handler="sandboxed", overhead=overhead)
