"""Serving workloads with several GPU pods and no PodDisruptionBudget: a drain may end all of them at once."""

from collections.abc import Iterator

from bot.checks.check import FleetCheck, Reads
from bot.checks.finding import Finding, Severity, State, Subject
from bot.checks.scene import FleetScene
from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count
from bot.gpu.owners import top_owner


def _judge(fleet: FleetScene) -> Iterator[Finding]:
    served: dict[tuple[str, str, str], list[Pod]] = {}
    for scene in fleet.scenes:
        for pod in scene.sight.users:
            kind, owner = top_owner(fleet.view, pod)
            if kind in ("Deployment", "StatefulSet"):
                served.setdefault((pod.namespace, kind, owner), []).append(pod)
    for (namespace, kind, owner), pods in sorted(served.items()):
        if len(pods) > 1 and not _kept(fleet, pods[0]):
            yield Finding(
                state=State.FIRING,
                severity=Severity.INFO,
                subject=Subject(pod=f"{namespace}/{owner}"),
                sentence=f"{namespace}/{owner} ({kind}) has {count(len(pods), 'GPU pod')} and no disruption budget: "
                "a drain may end all of them at once",
                remedies=(Remedy("Give it a PodDisruptionBudget with `maxUnavailable: 1`"),),
            )


def _kept(fleet: FleetScene, pod: Pod) -> bool:
    budgets = fleet.view.poddisruptionbudgets.values()
    return any(one.namespace == pod.namespace and one.selector.matches(pod.labels) for one in budgets)


CHECK = FleetCheck(
    id="fleet.no_budget",
    title="no disruption budget keeps its replicas",
    severity=Severity.INFO,
    source="https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods", "poddisruptionbudgets"}),
    reads=frozenset({Reads.API}),
    judge=_judge,
)
