"""The platform's own health check says that a GPU of the node is bad: GKE, EKS, AKS, TKE, NVSentinel and others."""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="node.condition",
    title="the platform reports a GPU fault",
    severity=Severity.CRITICAL,
    source="kubernetes/node-problem-detector#833, aws/eks-node-monitoring-agent, NVIDIA/NVSentinel",
    docs=__doc__ or "",
    needs=frozenset({"nodes"}),
    reads=frozenset({Reads.API}),
    judge=fault({"condition"}, Severity.CRITICAL),
)
