"""A memory error from which the GPU did not recover (Xid 140)."""

from bot.checks.by_xid import TOLD_BY, xids
from bot.checks.check import Check
from bot.checks.finding import Severity

CHECK = Check(
    id="memory.unrecovered",
    title="a GPU did not recover from a memory error",
    severity=Severity.CRITICAL,
    source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
    docs=__doc__ or "",
    reads=TOLD_BY,
    judge=xids((140,)),
)
