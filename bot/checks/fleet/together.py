"""All replicas of a serving workload on one node, or all on spot nodes: they go together when it goes."""

from collections.abc import Iterator

from bot.checks.check import FleetCheck, Reads
from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.scene import FleetScene
from bot.domain.answer import Remedy
from bot.domain.node import Node
from bot.domain.words import count, names
from bot.gpu.leaving import is_spot
from bot.gpu.owners import top_owner

_SERVING = ("Deployment", "StatefulSet", "LeaderWorkerSet", "InferenceService")


def _judge(fleet: FleetScene) -> Iterator[Finding]:
    places: dict[tuple[str, str, str], list[Node]] = {}
    for scene in fleet.scenes:
        for pod in scene.sight.users:
            kind, owner = top_owner(fleet.view, pod)
            if kind in _SERVING:
                places.setdefault((pod.namespace, kind, owner), []).append(scene.node)
    for (namespace, kind, owner), nodes in sorted(places.items()):
        if fact := _fact(nodes):
            yield _fires(f"{namespace}/{owner}", kind, fact)


def _fact(nodes: list[Node]) -> str:
    hosts = sorted({node.name for node in nodes})
    if all(is_spot(node) for node in nodes):
        return f"has all its pods on spot nodes ({names(hosts)}), which their provider may take back at any time"
    if len(nodes) > 1 and len(hosts) == 1:
        return f"has all its {count(len(nodes), 'pod')} on {hosts[0]}"
    return ""


def _fires(key: str, kind: str, fact: str) -> Finding:
    return Finding(
        state=State.FIRING,
        severity=Severity.INFO,
        subject=Subject(pod=key),
        sentence=f"{key} ({kind}) {fact}",
        remedies=(Remedy("Spread its pods over nodes that stay (topology spread constraints, node affinity)"),),
    )


CHECK = FleetCheck(
    id="fleet.together",
    title="all replicas would go at once",
    severity=Severity.INFO,
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
