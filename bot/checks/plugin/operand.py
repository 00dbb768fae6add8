"""Toolkit or validator do not get ready. All other parts wait for them, so many pods in Init are one fault."""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="plugin.operand",
    title="the GPU stack waits for its toolkit or validator",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/troubleshooting.html",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=fault({"operand"}, Severity.WARNING),
)
