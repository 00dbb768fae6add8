"""The node is being taken back or removed: a spot machine, an autoscaler. Capacity goes, and that is no GPU's fault."""

from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.words import count, names
from bot.gpu import leaving


def _judge(scene: Scene) -> Iterator[Finding]:
    why = leaving.why(scene.node, scene.sight.events)
    if not why:
        return
    users = scene.sight.users
    yield Finding(
        state=State.FIRING,
        severity=Severity.INFO,
        subject=scene.subject(),
        sentence=f"{scene.name} goes away: {why}; {count(len(users), 'GPU pod')} there, no GPU is at fault",
        evidence=(f"GPU pods there: {names([pod.key for pod in users])}",) if users else (),
        passes=True,
    )


CHECK = Check(
    id="node.leaving",
    title="it is being taken away",
    severity=Severity.INFO,
    source="kubernetes-sigs/karpenter, kubernetes/autoscaler, aws/aws-node-termination-handler",
    docs=__doc__ or "",
    reads=frozenset({Reads.API}),
    judge=_judge,
)
