"""The node's container runtime does not know the handler of the nvidia runtime class."""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="plugin.runtime_handler",
    title="the container runtime lacks the nvidia handler",
    severity=Severity.CRITICAL,
    source="NVIDIA/gpu-operator#549",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods", "events"}),
    reads=frozenset({Reads.API}),
    judge=fault({"handler"}, Severity.CRITICAL),
)
