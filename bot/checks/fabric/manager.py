"""Fabric manager does not run on a machine with NVSwitch.

CUDA answers 802 until it does, in exactly the driver's version.

nvidia-smi lists all GPUs all the same.
"""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="fabric.manager",
    title="fabric manager does not run",
    severity=Severity.CRITICAL,
    source="NVIDIA/gpu-operator#1043, https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.KERNEL, Reads.AGENT, Reads.LOGS}),
    judge=fault({"fabric_manager"}, Severity.CRITICAL),
)
