"""The device plugin is not there or does not work.

It crashes, has no image, no room, no label to be placed by, or is paused.
"""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="plugin.missing",
    title="the device plugin does not work there",
    severity=Severity.CRITICAL,
    source="NVIDIA/k8s-device-plugin, NVIDIA/gpu-operator:controllers/state_manager.go",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=fault(
        {"plugin", "image", "unscheduled", "unplaced", "paused", "operator", "plugin_runtime"}, Severity.CRITICAL
    ),
)
