"""A node that rejects every GPU pod: it stays Ready and looks empty, so the scheduler sends all new ones to it.

One lost GPU does it: the plugin reads the links of all GPUs before it hands out one.
"""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="pods.rejected",
    title="it rejects every GPU pod",
    severity=Severity.CRITICAL,
    source="NVIDIA/k8s-device-plugin#231, kubernetes/kubernetes#130145",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=fault({"rejects"}, Severity.CRITICAL),
)
