"""A node that came up minutes ago: driver, toolkit and plugin are on their way. Worth knowing, no fault."""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="node.joining",
    title="it came up minutes ago and has not registered its GPUs",
    severity=Severity.INFO,
    source="NVIDIA/gpu-operator: operands wait for each other",
    docs=__doc__ or "",
    needs=frozenset({"nodes"}),
    reads=frozenset({Reads.API}),
    judge=fault({"joining"}, Severity.INFO),
)
