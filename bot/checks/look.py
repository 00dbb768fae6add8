"""From a view to scenes: which nodes have GPUs, what should be looked up for them, and what came."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from bot.checks.scene import FleetScene, Scene
from bot.domain.evidence import NO_EVIDENCE, Evidence, LogRef, MetricsRef, NodeRef, Ref, Wanted
from bot.domain.gpu_reading import NodeReading
from bot.domain.node import Node
from bot.domain.node_past import FleetPast
from bot.domain.text import natural
from bot.domain.view import View
from bot.gpu.node import inspect
from bot.gpu.policy import Policy
from bot.gpu.stack import chain
from bot.gpu.stack.expected import expected, fleet, for_machines
from bot.gpu.stack.pods import stuck

USERS_LOGGED = 4  # logs of so many GPU pods of a node are looked up, those that are held up or restarted first


def gpu_nodes(view: View, policy: Policy) -> list[Node]:
    """Nodes that have GPUs for pods, or should have, by name."""
    counted = fleet(view)
    found = (
        node
        for node in view.nodes.values()
        if not for_machines(node) and (expected(counted, node) or inspect(view, node, policy))
    )
    return sorted(found, key=lambda node: natural(node.name))


def wanted(view: View, policy: Policy, now: datetime, nodes: Iterable[Node] | None = None) -> Wanted:
    """What to look up for these nodes (all GPU nodes where none are named): readings, kernel messages, metrics, logs.

    Of all nodes what tells most comes first, so that an adapter that runs out of time has something of each.
    """
    asked = list(scenes(view, policy, NO_EVIDENCE, now, nodes=nodes))
    rounds = (_readings, _logs)
    return Wanted(tuple(dict.fromkeys(ref for refs in rounds for scene in asked for ref in refs(scene))))


def scenes(
    view: View,
    policy: Policy,
    evidence: Evidence,
    now: datetime,
    *,
    nodes: Iterable[Node] | None = None,
    before: Mapping[str, tuple[NodeReading, ...]] | None = None,
    past: FleetPast | None = None,
) -> Iterator[Scene]:
    """One scene a node.

    before: earlier readings by the node's name, the oldest first. past: what nodes ran before.
    """
    counted = fleet(view)
    for node in gpu_nodes(view, policy) if nodes is None else nodes:
        yield Scene(
            view,
            node,
            policy,
            now,
            evidence,
            before=(before or {}).get(node.name, ()),
            past=past.of(node.name) if past is not None else None,
            counted=counted,
        )


def fleet_scene(
    view: View, policy: Policy, evidence: Evidence = NO_EVIDENCE, *, now: datetime, seen: Iterable[Scene] | None = None
) -> FleetScene:
    """The whole fleet; `seen`: scenes that were made already, so that nothing is read twice."""
    return FleetScene(view, policy, now, tuple(scenes(view, policy, evidence, now) if seen is None else seen))


def _readings(scene: Scene) -> Iterator[Ref]:
    yield NodeRef("agent", scene.name)
    yield NodeRef("kernel", scene.name)
    yield from (MetricsRef(pod.namespace, pod.name) for pod in scene.exporters)


def _logs(scene: Scene) -> Iterator[Ref]:
    yield from chain.wanted(scene.sight)
    users = sorted(scene.sight.users, key=lambda pod: stuck(pod) is None)
    for pod in users[:USERS_LOGGED]:
        main = next((one.name for one in pod.containers if not one.init), "")
        if main:
            yield LogRef(pod.namespace, pod.name, main)
