"""A driver upgrade by the GPU operator that failed, or that something on the node holds up.

An upgrade that is under way is told too, and is no fault.
"""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="driver.upgrade",
    title="a driver upgrade stands still",
    severity=Severity.WARNING,
    source="NVIDIA/k8s-operator-libs:pkg/upgrade/consts.go",
    docs=__doc__ or "",
    needs=frozenset({"nodes", "pods"}),
    reads=frozenset({Reads.API}),
    judge=fault(
        {"driver_in_use", "driver_upgrade_failed", "driver_upgrade_blocked", "driver_upgrade_runs"}, Severity.WARNING
    ),
)
