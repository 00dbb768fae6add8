"""A MIG layout that could not be applied, was given up half way, or is not valid.

The node offers too little, or nothing.

A change that is under way is told too, and is no fault.
"""

from bot.checks.by_fault import fault
from bot.checks.check import Check, Reads
from bot.checks.finding import Severity

CHECK = Check(
    id="mig.layout",
    title="its MIG layout is not what was asked for",
    severity=Severity.CRITICAL,
    source="NVIDIA/mig-parted, NVIDIA/gpu-operator#2833",
    docs=__doc__ or "",
    needs=frozenset({"nodes"}),
    reads=frozenset({Reads.API}),
    judge=fault({"mig_stuck", "mig_failed", "mig_invalid", "mig_changes"}, Severity.CRITICAL),
)
