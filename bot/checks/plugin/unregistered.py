"""The node should have GPUs and offers none, and nothing there tells why; or its restarted kubelet lost them."""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="plugin.unregistered",
    title="the node offers none of its GPUs",
    severity=Severity.CRITICAL,
    source="kubernetes/kubernetes:pkg/kubelet/cm/devicemanager",
    docs=__doc__ or "",
    needs=frozenset({"nodes"}),
    reads=frozenset({Reads.API}),
    judge=fault({"unregistered", "kubelet_restarted", "registering"}, Severity.CRITICAL),
)
