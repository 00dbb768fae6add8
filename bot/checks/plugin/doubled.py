"""Device plugin and DRA driver both offer the node's GPUs, and neither knows what the other has handed out."""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="plugin.doubled",
    title="GPUs are offered twice",
    severity=Severity.WARNING,
    source="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/dra-intro-install.html",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "resourceslices"}),
    reads=frozenset({Reads.API}),
    judge=fault({"doubled"}, Severity.WARNING),
)
