"""The device plugin marked GPUs unhealthy: capacity keeps them, allocatable does not.

It never marks them healthy again by itself, also where the fault is over; its restart before a repair hands out a bad
GPU.
"""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="plugin.unhealthy",
    title="the device plugin marked GPUs unhealthy",
    severity=Severity.CRITICAL,
    source="NVIDIA/k8s-device-plugin:internal/rm/health.go, #1014",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=fault({"unhealthy", "plugin_stopped"}, Severity.CRITICAL),
)
